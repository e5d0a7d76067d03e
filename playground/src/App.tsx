import { useState } from "react"
import { type SessionClient, SessionProvider } from "react-tool-client"
import { Playground } from "./Playground.tsx"
import type { BackEnd } from "./session/backEnd.ts"
import { ProblemBar } from "./session/ProblemBar.tsx"

export interface AppProps {
  readonly client: SessionClient
  readonly backEnd: BackEnd
}

export function App({ client, backEnd }: AppProps) {
  const [problem, setProblem] = useState<string | null>(null)

  function report(error: unknown): void {
    console.error(error)
    setProblem(error instanceof Error ? error.message : String(error))
  }

  return (
    <SessionProvider client={client} onError={report}>
      <Playground backEnd={backEnd} />
      {problem !== null && <ProblemBar message={problem} onClose={() => setProblem(null)} />}
    </SessionProvider>
  )
}

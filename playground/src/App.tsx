import { Activity, lazy, type ReactNode, Suspense, useState } from "react"
import { type SessionClient, SessionProvider } from "react-tool-client"
import layout from "./layout/layout.module.css"
import { ProblemBar } from "./layout/ProblemBar.tsx"
import { SiteHeader } from "./layout/SiteHeader.tsx"
import { SkipLink } from "./layout/SkipLink.tsx"
import { type PageId, PAGES } from "./router/pages.ts"
import { useRoute } from "./router/useRoute.ts"
import { useVisitedPages } from "./router/useVisitedPages.ts"
import type { BackEnd } from "./session/backEnd.ts"
import { SessionPage } from "./session/SessionPage.tsx"

const ActionsPage = lazy(() => import("./actions/ActionsPage.tsx"))
const HubPage = lazy(() => import("./hub/HubPage.tsx"))
const WebMcpPage = lazy(() => import("./webmcp/WebMcpPage.tsx"))

export interface AppProps {
  readonly client: SessionClient
  readonly backEnd: BackEnd
}

export function App({ client, backEnd }: AppProps) {
  const { page, params } = useRoute()
  const visited = useVisitedPages(page.id)
  const [problem, setProblem] = useState<string | null>(null)

  function report(error: unknown): void {
    console.error(error)
    setProblem(error instanceof Error ? error.message : String(error))
  }

  const contents: Readonly<Record<PageId, ReactNode>> = {
    session: <SessionPage backEnd={backEnd} agentParam={params.get("agent")} />,
    hub: <HubPage remoteParam={params.get("remote")} />,
    actions: <ActionsPage />,
    webmcp: <WebMcpPage />,
  }

  return (
    <SessionProvider client={client} onError={report}>
      <SkipLink to={page.asideId} className={layout.skip}>
        Skip to {page.asideName}
      </SkipLink>
      <SiteHeader current={page.id} />
      {PAGES.filter(({ id }) => visited.has(id)).map(({ id }) => (
        // A page that is left is kept with all that was done there, and offers nothing meanwhile: hidden, its tools are withdrawn.
        <Activity key={id} mode={id === page.id ? "visible" : "hidden"}>
          <Suspense fallback={<p className={layout.loading}>Loading the page</p>}>{contents[id]}</Suspense>
        </Activity>
      ))}
      {problem !== null && <ProblemBar message={problem} onClose={() => setProblem(null)} />}
    </SessionProvider>
  )
}

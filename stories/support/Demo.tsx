import type { JSX, ReactNode } from "react"
import { SessionProvider } from "react-tool-client"
import type { TestSession } from "react-tool-client/testing"

/** An application around a session without a server. */
export function Demo({ session, children }: { readonly session: TestSession; readonly children: ReactNode }): JSX.Element {
  return (
    <SessionProvider client={session.client} onError={session.onError}>
      <main className="demo">{children}</main>
    </SessionProvider>
  )
}

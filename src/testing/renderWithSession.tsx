import { render, type RenderOptions, type RenderResult } from "@testing-library/react"
import type { ReactNode } from "react"
import { SessionProvider } from "../react/SessionProvider.tsx"
import { createTestSession, type TestSession } from "./createTestSession.ts"

/** React Testing Library's own, those that make the result no other. */
export interface RenderWithSessionOptions extends Pick<RenderOptions, "baseElement" | "container" | "wrapper"> {
  /** One that is there already, to render into it a second time or with options of its own. `@default` a new one */
  readonly session?: TestSession | undefined
}

/** What React Testing Library gives, and the session. */
export interface RenderedWithSession extends RenderResult {
  readonly session: TestSession
}

/**
 * Renders below a `SessionProvider` of a test session, and waits until what the tree offers is published. It stays below it when it is
 * rendered again. Needs `@testing-library/react`.
 *
 * @example
 * const { session, findByText } = await renderWithSession(<Todos sessionId="any" />)
 * expect((await session.callTool("add_todo", { title: "milk" })).text).toBe('Added "milk".')
 * await findByText("milk")
 */
export async function renderWithSession(ui: ReactNode, options: RenderWithSessionOptions = {}): Promise<RenderedWithSession> {
  const { session = createTestSession(), wrapper: Outer, ...rest } = options
  const rendered = render(ui, {
    ...rest,
    wrapper({ children }) {
      const provided = <SessionProvider client={session.client} onError={session.onError}>{children}</SessionProvider>
      return Outer ? <Outer>{provided}</Outer> : provided
    },
  })
  await session.settle()
  return { ...rendered, session }
}

// @vitest-environment node
// On a server the hooks give what they have before anything is known, and start nothing.
import { StrictMode } from "react"
import { renderToString } from "react-dom/server"
import {
  createSessionClient,
  type Session,
  SessionProvider,
  useSession,
  useSessionState,
  useTool,
  useToolApproval,
  useToolCalls,
  useToolClient,
  useToolClientState,
  useToolContext,
  useTools,
  useToolStatus,
} from "react-tool-client"
import { createTestSession } from "react-tool-client/testing"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { z } from "zod"
import "./support/console.ts"

const TIMERS = ["setTimeout", "setInterval", "setImmediate", "queueMicrotask"] as const

function Page({ id }: { readonly id: string }) {
  return <Everything session={useSession(id)} />
}

function Everything({ session }: { readonly session: Session | null }) {
  const client = useToolClient(session, "web", { onError: () => {} })
  const { pending } = useToolApproval()
  useTool(client, "a", { description: "Does a.", schema: z.object({}), execute: () => "a" })
  useTools(client, { b: { description: "Does b.", schema: z.object({}), execute: () => "b" } })
  useToolContext(client, "c", { description: "Is c.", read: () => "c" })
  const calls = useToolCalls(client, "a").length
  const state = useToolClientState(client).status
  const connection = useSessionState(session, ({ status }) => status)
  return <p>{[connection, state, useToolStatus(client, "a"), calls, pending === null].join(" ")}</p>
}

describe("rendering on a server", () => {
  beforeEach(() => {
    for (const timer of TIMERS) vi.spyOn(globalThis, timer)
  })
  afterEach(() => vi.restoreAllMocks())

  it("has no window here", () => {
    expect(typeof window).toBe("undefined")
    expect(typeof document).toBe("undefined")
  })

  it("asks the server for nothing, and leaves no timer and no listener of the process", () => {
    const fetch = vi.fn()
    const getToken = vi.fn()
    const client = createSessionClient({ baseUrl: "https://agents.example", getToken, fetch })
    const listeners = process.eventNames().length
    const html = renderToString(
      <StrictMode>
        <SessionProvider client={client} onError={() => {}}>
          <Page id="s" />
        </SessionProvider>
      </StrictMode>,
    )
    expect(html).toBe("<p>connecting joining pending 0 true</p>")
    expect(fetch).not.toHaveBeenCalled()
    expect(getToken).not.toHaveBeenCalled()
    for (const timer of TIMERS) expect(globalThis[timer]).not.toHaveBeenCalled()
    expect(process.eventNames().length).toBe(listeners)
  })

  it("creates no tool client, even in a session that is open", async () => {
    const session = createTestSession()
    renderToString(
      <StrictMode>
        <Everything session={session} />
      </StrictMode>,
    )
    await session.settle()
    expect(session.requests()).toEqual([])
    expect(session.clock.pending).toBe(0)
  })

  it("says what useSession needs where there is no provider", () => {
    expect(() => renderToString(<Page id="s" />)).toThrow("useSession needs a <SessionProvider client={...}> above it.")
  })
})

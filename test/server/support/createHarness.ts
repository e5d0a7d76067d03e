import { createSessionServer, type CallOutcome, type SessionServerOptions } from "../../../src/server/index.ts"
import { createFakeClock, type FakeClock } from "../../../src/testing/fakeClock.ts"
import type { DispatchedData, RegisterRequest } from "../../../src/wire/messages.ts"
import { createPage, type Page } from "./createPage.ts"
import type { EventReader } from "./readEvents.ts"

export const API_KEY = "key-of-the-agent"
export const SECRET = "a secret of thirty-two bytes, at least"

export interface PageOptions {
  readonly sessionId?: string
  readonly token?: string
  readonly headers?: Record<string, string>
}

/** How many digests one after the other a request may wait for, which Node makes on other threads: of a token, a key, a body, a call's id, a list. */
const DIGESTS = 6

/** A clock by which no time passes before the digests under way are there, however busy the machine is. */
function createPatientClock(): FakeClock {
  const clock = createFakeClock()
  return Object.assign(Object.create(clock) as FakeClock, {
    async advance(ms: number) {
      for (let count = 0; count < DIGESTS; count++) {
        await crypto.subtle.digest("SHA-256", new Uint8Array(1))
        await clock.advance(0)
      }
      await clock.advance(ms)
    },
  })
}

/** A server in this process under a clock that stands still, with one session and its page. */
export async function createHarness(options: SessionServerOptions = {}) {
  const clock = createPatientClock()
  const server = createSessionServer({ apiKey: API_KEY, secret: SECRET, clock, ...options })
  const { id: sessionId, token } = await server.createSession()
  const pageOf = (more: PageOptions = {}): Page => createPage({ fetch: server.fetch, sessionId, token, ...more })
  const page = pageOf()

  /** A page with an open stream and a registered client. */
  async function serving(more: Partial<RegisterRequest> = {}): Promise<{ events: EventReader; id: string; name: string }> {
    const events = await page.stream()
    await events.nextOf("session.running")
    const { body } = await page.register(more)
    await events.nextOf("tool_client.registered")
    return { events, ...body }
  }

  /** An agent's call that has reached the page's stream. */
  async function dispatched(events: EventReader, tool = "client__web__add", args?: unknown): Promise<{ outcome: Promise<CallOutcome>; call: DispatchedData }> {
    const outcome = server.callTool(sessionId, tool, args)
    outcome.catch(() => {})
    return { outcome, call: await events.nextOf("tool_call.dispatched") }
  }

  return {
    clock,
    server,
    sessionId,
    token,
    page,
    /** The agent sends what a page could, with another bearer. */
    agent: pageOf({ token: API_KEY }),
    pageOf,
    serving,
    dispatched,
    toolNames: async () => (await server.tools(sessionId)).map(({ name }) => name),
    /** Lets everything that is under way come to its end, without time passing. */
    settle: () => clock.advance(0),
  }
}

// A session server of a few lines, for what only a real SessionClient does: streams that are opened, shared and closed.
import { createSessionClient, type SessionClient } from "react-tool-client"
import { createFakeClock, type FakeClock } from "react-tool-client/testing"

export interface FakeServer {
  readonly client: SessionClient
  readonly clock: FakeClock
  /** `open a`, `register a`, `answer a`, `delete a`, `close a`: what was asked, with the session's id; pings and acks aside. */
  readonly log: readonly string[]
  /** Sends an event to whoever has the session's stream open. */
  emit(sessionId: string, type: string, data: object): void
  /** Resolves when nothing that was begun is still under way. */
  settle(): Promise<void>
}

const WORDS: readonly (readonly [method: string, path: RegExp, word: string])[] = [
  ["POST", /\/tool-clients$/, "register"],
  ["PUT", /\/tools$/, "update"],
  ["DELETE", /\/tool-clients\/[^/]+$/, "delete"],
  ["POST", /\/answers$/, "answer"],
]

export function createFakeServer(): FakeServer {
  const log: string[] = []
  const clock = createFakeClock()
  const streams = new Map<string, Set<ReadableStreamDefaultController<Uint8Array>>>()

  function openStream(sessionId: string, signal: AbortSignal | null | undefined): Response {
    const open = streams.get(sessionId) ?? new Set()
    streams.set(sessionId, open)
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        open.add(controller)
        log.push(`open ${sessionId}`)
        signal?.addEventListener("abort", () => {
          log.push(`close ${sessionId}`)
          open.delete(controller)
          controller.error(new Error("aborted"))
        })
      },
    })
    return new Response(body, { headers: { "content-type": "text/event-stream" } })
  }

  const respond: typeof fetch = async (input, init) => {
    const method = init?.method ?? "GET"
    const path = input as string
    const sessionId = /sessions\/([^/]+)/.exec(path)?.[1] ?? ""
    if (path.endsWith("/events")) return openStream(sessionId, init?.signal)
    const word = WORDS.find(([wordMethod, pattern]) => wordMethod === method && pattern.test(path))?.[2]
    if (word) log.push(`${word} ${sessionId}`)
    if (word !== "register") return new Response(null, { status: 204 })
    return Response.json({ id: `client_of_${sessionId}`, name: "web" }, { status: 201 })
  }

  return {
    client: createSessionClient({ baseUrl: "https://agents.example", getToken: () => "token", fetch: respond, clock }),
    clock,
    log,
    emit(sessionId, type, data) {
      const text = `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`
      for (const controller of streams.get(sessionId) ?? []) controller.enqueue(new TextEncoder().encode(text))
    },
    settle: () => clock.advance(0),
  }
}

import { SessionError } from "../../../../src/wire/sessionError.ts"
import type { StreamRequest, Transport, TransportRequest, TransportResponse } from "../../../../src/wire/transport.ts"

/** One stream that was asked for, its far end in the test's hands. */
export interface ServedStream {
  readonly request: StreamRequest
  /** Says that events follow. */
  open(): void
  /** One event; `data` is written as JSON. */
  send(type: string, data: unknown): void
  end(): void
  fail(error: unknown): void
}

export type Responder = (request: TransportRequest) => TransportResponse | Promise<TransportResponse>

export interface ScriptedTransport {
  readonly transport: Transport
  readonly requests: readonly TransportRequest[]
  readonly streams: readonly ServedStream[]
  /** The newest stream. */
  readonly stream: ServedStream
  /** Streams that were not aborted. */
  live(): number
  /** What each request is answered; by default what a server answers when all is well. */
  respond: Responder
  /** Called with each stream as it is asked for. */
  onStream: (stream: ServedStream) => void
}

export const answered = (status: number, code?: string, more: Partial<TransportResponse> = {}): TransportResponse => ({
  status,
  body: code && { error: { code, message: `The server says ${code}.` } },
  ...more,
})

/** A transport whose every answer the test gives. */
export function createTransport(): ScriptedTransport {
  const requests: TransportRequest[] = []
  const streams: ServedStream[] = []
  let ids = 0
  const scripted: ScriptedTransport = {
    requests,
    streams,
    get stream() {
      const last = streams.at(-1)
      if (!last) throw new Error("No stream was asked for.")
      return last
    },
    live: () => streams.filter(({ request }) => !request.signal.aborted).length,
    respond({ method, path, body }) {
      if (method === "POST" && path.endsWith("/tool-clients")) return { status: 201, body: { id: `c${++ids}`, name: (body as { name: string }).name } }
      return { status: 204, body: undefined }
    },
    onStream: () => {},
    transport: {
      baseUrl: "",
      async request(request) {
        requests.push(request)
        // As over a network: nothing is answered within the tick that asked, and an aborted one gets no answer.
        await Promise.resolve()
        const aborted = new Promise<never>((_resolve, reject) => {
          request.signal?.addEventListener("abort", () => reject(new SessionError("network", "aborted")))
        })
        return Promise.race([scripted.respond(request), aborted])
      },
      stream: (request) =>
        new Promise<void>((resolve, reject) => {
          const stream: ServedStream = {
            request,
            open: () => request.onOpen(),
            send(type, data) {
              request.onBytes()
              request.onEvent({ type, data: JSON.stringify(data) })
            },
            end: resolve,
            fail: reject,
          }
          const abort = (): void => reject(new SessionError("network", "aborted"))
          if (request.signal.aborted) return abort()
          request.signal.addEventListener("abort", abort)
          streams.push(stream)
          scripted.onStream(stream)
        }),
    },
  }
  return scripted
}

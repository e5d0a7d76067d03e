import { createParser } from "eventsource-parser"
import { openByteStream } from "#stream"
import type { ByteStream } from "./byteStream.ts"
import { errorOfResponse } from "./errorOfResponse.ts"
import { SessionError } from "./sessionError.ts"
import { streamOverFetch } from "./streamFetch.ts"
import type { StreamRequest, Transport, TransportRequest, TransportResponse } from "./transport.ts"

/** One line or event of the stream may hold this many characters; more is a broken or hostile server. */
export const STREAM_BUFFER_MAX_CHARACTERS = 8 * 1024 * 1024

/** Seconds, or a date (RFC 9110 §10.2.3); anything else is as if it were not there. */
function readRetryAfter(header: string | null): { retryAfterMs?: number } {
  if (!header) return {}
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? { retryAfterMs: Math.max(0, ms) } : {}
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const networkError = (what: string, cause: unknown): SessionError =>
  new SessionError("network", `${what} got no answer: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })

async function readEvents(stream: ByteStream, request: StreamRequest): Promise<void> {
  const decoder = new TextDecoder()
  let overflow: unknown
  const parser = createParser({
    maxBufferSize: STREAM_BUFFER_MAX_CHARACTERS,
    onEvent(event) {
      request.onEvent({ type: event.event ?? "message", data: event.data })
      if (event.id !== undefined) request.onId(event.id)
    },
    onError(error) {
      if (error.type === "max-buffer-size-exceeded") overflow = error
    },
  })
  await stream.read((chunk) => {
    request.onBytes()
    parser.feed(decoder.decode(chunk, { stream: true }))
    if (overflow) throw new SessionError("bad_stream", "The event stream was cut: one event is larger than 8 MiB.", { cause: overflow })
  })
}

/**
 * The session protocol over HTTP: requests by `fetch`, events by a streamed `GET`.
 *
 * @param options.baseUrl - Where the server's `/v1` begins, without a slash at its end.
 * @param options.fetch - Used for everything when given. `@default` the platform's, looked up at each call; on Node the stream is
 * opened by `node:http`, so that it does not keep the process running.
 */
export function createHttpTransport(options: { baseUrl: string; fetch?: typeof globalThis.fetch }): Transport {
  const { baseUrl, fetch: givenFetch } = options
  // Called as a bare function: a stored `window.fetch` called as a method throws "Illegal invocation".
  const send: typeof globalThis.fetch = (input, init) => (givenFetch ?? fetch)(input, init)
  const open = givenFetch ? streamOverFetch(send) : openByteStream

  async function request({ method, path, token, body, keepalive, signal }: TransportRequest): Promise<TransportResponse> {
    const what = `${method} ${path}`
    try {
      const response = await send(baseUrl + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(keepalive && { keepalive }),
        ...(signal && { signal }),
      })
      const text = await response.text()
      return {
        status: response.status,
        body: text ? parseJson(text) : undefined,
        ...readRetryAfter(response.headers.get("retry-after")),
      }
    } catch (cause) {
      throw networkError(what, cause)
    }
  }

  async function stream(request: StreamRequest): Promise<void> {
    const what = "The event stream"
    const headers = {
      accept: "text/event-stream",
      authorization: `Bearer ${request.token}`,
      ...(request.lastEventId !== undefined && { "last-event-id": request.lastEventId }),
    }
    try {
      const opened = await open(baseUrl + request.path, headers, request.signal)
      if (opened.status !== 200) throw await refusalOf(what, opened)
      const type = opened.header("content-type")
      if (!type?.startsWith("text/event-stream")) {
        throw new SessionError("bad_stream", `${what} was answered with ${type ?? "no content type"}, not text/event-stream. Is a proxy in between?`)
      }
      request.onOpen()
      await readEvents(opened, request)
    } catch (cause) {
      throw cause instanceof SessionError ? cause : networkError(what, cause)
    }
  }

  return { request, stream }
}

/** Reads the body of a refused stream for its reason. */
async function refusalOf(what: string, stream: ByteStream): Promise<SessionError> {
  const decoder = new TextDecoder()
  let text = ""
  await stream.read((chunk) => {
    text += decoder.decode(chunk, { stream: true })
  })
  const error = errorOfResponse(what, {
    status: stream.status,
    body: parseJson(text),
    ...readRetryAfter(stream.header("retry-after")),
  })
  return error ?? new SessionError("bad_stream", `${what} was answered ${stream.status}, which is no stream.`, { status: stream.status })
}

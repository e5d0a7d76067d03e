import { createParser } from "eventsource-parser"
import { createByteStreamOpener } from "#stream"
import type { ByteStream } from "./byteStream.ts"
import { errorOfResponse } from "./errorOfResponse.ts"
import { asSessionError, SessionError, WHAT_TO_CHECK } from "./sessionError.ts"
import { streamOverFetch } from "./streamFetch.ts"
import type { StreamRequest, Transport, TransportRequest, TransportResponse } from "./transport.ts"

/** One line or event of the stream may hold this many characters; more is a broken or hostile server. */
export const STREAM_BUFFER_MAX_CHARACTERS = 8 * 1024 * 1024

/** So many characters of a refusal are read; what is longer is no reason that this server gives. */
export const REFUSAL_MAX_CHARACTERS = 64 * 1024

/** Milliseconds from seconds or a date (RFC 9110 §10.2.3); anything else, and no time at all, is as if it were not there. */
function readRetryAfter(header: string | null): number | undefined {
  if (!header) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return ms > 0 ? ms : undefined
}

function parseJson(text: string): unknown {
  try {
    // An error made for each answer without a body would be dear.
    return text ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

const responseOf = (status: number, text: string, retryAfter: string | null): TransportResponse => ({
  status,
  body: parseJson(text),
  retryAfterMs: readRetryAfter(retryAfter),
})

/** Hands over the body as text, a character that two chunks share included. */
function readText(stream: ByteStream, onText: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  return stream.read((chunk) => onText(decoder.decode(chunk, { stream: true })))
}

/** Reads no further than a refusal of this server could be long. Of one that is cut off, what has come: the status says the most. */
async function readRefusal(stream: ByteStream): Promise<string> {
  let text = ""
  await readText(stream, (part) => {
    text += part
    if (text.length > REFUSAL_MAX_CHARACTERS) throw new Error("enough")
  }).catch(() => {})
  return text
}

/**
 * The session protocol over HTTP: requests by `fetch`, events by a streamed `GET`.
 *
 * @param baseUrl - Where the server's `/v1` begins, without a slash at its end.
 * @param givenFetch - Used for everything when given. `@default` the platform's, looked up at each call; on Node the stream is
 * opened by `node:http`, so that it does not keep the process running.
 */
export function createHttpTransport(baseUrl: string, givenFetch?: typeof fetch): Transport {
  // Called as a bare function: a stored `window.fetch` called as a method throws "Illegal invocation".
  const send: typeof fetch = (input, init) => (givenFetch ?? fetch)(input, init)
  const open = givenFetch ? streamOverFetch(send) : createByteStreamOpener()

  return {
    baseUrl,
    async request({ method, path, token, body, keepalive = false, signal }: TransportRequest) {
      const headers: Record<string, string> = { authorization: `Bearer ${token}` }
      if (body) headers["content-type"] = "application/json"
      const url = baseUrl + path
      try {
        const response = await send(url, { method, headers, body: body ? JSON.stringify(body) : null, keepalive, signal: signal ?? null })
        const text = await response.text()
        const answered = responseOf(response.status, text, response.headers.get("retry-after"))
        // A login page, or a proxy's own: the server never had the request.
        if (response.ok && text && answered.body === undefined) {
          throw new SessionError("unavailable", `${method} ${url} was answered ${response.status} without JSON${WHAT_TO_CHECK}`, answered)
        }
        return answered
      } catch (cause) {
        throw asSessionError(`${method} ${url}`, cause)
      }
    },

    async stream(request: StreamRequest) {
      const url = baseUrl + request.path
      const what = `The event stream (GET ${url})`
      const { lastEventId } = request
      const headers: Record<string, string> = { accept: "text/event-stream", authorization: `Bearer ${request.token}` }
      if (lastEventId !== undefined) headers["last-event-id"] = lastEventId
      try {
        const opened = await open(url, headers, request.signal)
        const { status } = opened
        const type = opened.header("content-type")
        if (status !== 200 || !type?.startsWith("text/event-stream")) {
          const refusal = errorOfResponse(what, responseOf(status, await readRefusal(opened), opened.header("retry-after")))
          throw refusal ?? new SessionError("bad_stream", `${what} was answered ${status} with ${type ?? "no content type"}${WHAT_TO_CHECK}`)
        }
        request.onOpen()
        await readEvents(opened, request)
      } catch (cause) {
        throw asSessionError(what, cause)
      }
    },
  }
}

function readEvents(stream: ByteStream, request: StreamRequest): Promise<void> {
  const parser = createParser({
    maxBufferSize: STREAM_BUFFER_MAX_CHARACTERS,
    onEvent({ event = "message", data, id }) {
      request.onEvent({ type: event, data })
      // One that no header can carry would fail every stream after it.
      if (id !== undefined && /^[\x20-\x7e]*$/.test(id)) request.onId(id)
    },
    onError(cause) {
      if (cause.type === "max-buffer-size-exceeded") throw new SessionError("bad_stream", "An event of the stream is too large.", { cause })
    },
  })
  return readText(stream, (text) => {
    request.onBytes()
    parser.feed(text)
  })
}

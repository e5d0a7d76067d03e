/** The session server's requests and replies as web-standard objects, which any framework can mount. */
import { onAbort } from "../lib/signals.ts"
import { jsonReply, type Reply, type StreamBody, type StreamSource } from "./reply.ts"
import { bodyCutShort, type BodyLimits, bodyTooLarge, type ServerRequest } from "./serverRequest.ts"

/**
 * In one piece where the sender has said how much it is, to which HTTP holds it; a stream in between costs more than all the rest of a
 * small request. Else it counts while it reads.
 */
async function readText(request: Request, limits: BodyLimits): Promise<string> {
  const length = request.headers.get("content-length")
  if (Number(length) > limits.maxBodyBytes) throw bodyTooLarge(limits)
  if (length !== null) {
    const text = await request.text().catch((cause: unknown) => {
      throw bodyCutShort(cause)
    })
    if (text.length > limits.maxBodyBytes) throw bodyTooLarge(limits)
    return text
  }
  if (!request.body) return ""
  const reader = request.body.getReader()
  const decoder = new TextDecoder()
  let bytes = 0
  let text = ""
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw bodyCutShort(cause)
    })
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > limits.maxBodyBytes) {
      // Whether the sender hears of it or not, its body is refused.
      reader.cancel().catch(() => {})
      throw bodyTooLarge(limits)
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** The answer to what is undefined below. */
export const nowhere = jsonReply({ error: { code: "invalid_request", message: "The request's path and `Host` are not a URL." } }, 400)

/** Undefined for one whose URL is none: Node takes any `Host`, and frameworks make requests of it without looking. */
export function requestOfWeb(request: Request): ServerRequest | undefined {
  if (!URL.canParse(request.url)) return undefined
  const url = new URL(request.url)
  return {
    method: request.method,
    url: request.url,
    headers: request.headers,
    path: url.pathname,
    query: url.searchParams,
    readText: (limits) => readText(request, limits),
    onGone: (listener) => onAbort(request.signal, listener),
    withoutBody: (signal) => new Request(request.url, { method: request.method, headers: request.headers, signal }),
    web: request,
  }
}

/** @param signal - Of its request: a framework may tell that a reader has gone by this alone. */
function streamOf(body: StreamBody, signal: AbortSignal | undefined): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder()
  let source: StreamSource | undefined
  let isOver = false
  let stop = (): void => {}
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        const over = (finish: () => void): void => {
          isOver = true
          stop()
          finish()
        }
        const opened = body.open({
          get hasRoom() {
            return (controller.desiredSize ?? 0) > 0
          },
          write: (text) => controller.enqueue(encoder.encode(text)),
          end: () => over(() => controller.close()),
          cut: (error) => over(() => controller.error(error)),
        })
        source = opened
        if (isOver) return
        stop = onAbort(signal, () => {
          if (isOver) return
          opened.onGone()
          over(() => controller.close())
        })
      },
      // Not awaited: a pull that waits for the next event would hold up the reader's cancel.
      pull: () => source?.onRoom(),
      cancel() {
        isOver = true
        stop()
        source?.onGone()
      },
    },
    { highWaterMark: body.maxQueueBytes, size: (chunk) => chunk.byteLength },
  )
}

/** @param request - What a stream is for. */
export function responseOf({ status, headers, body }: Reply, request?: Request): Response {
  return new Response(body === null || typeof body === "string" ? body : streamOf(body, request?.signal), { status, headers })
}

import type { IncomingMessage } from "node:http"
import type { ClientOptions } from "ws"
import type { UpgradeAnswer } from "./openingError.ts"
import type { WebSocketClass } from "./webSocket.ts"

/** A hub that does not answer the closing handshake by then is left without it (RFC 6455 §7.1.1 leaves the time open). Milliseconds. */
export const CLOSE_TIMEOUT_MS = 2_000

/** The package's own types do not know it yet. */
const OPTIONS: ClientOptions & { readonly closeTimeout: number } = { closeTimeout: CLOSE_TIMEOUT_MS }

/** Of a longer answer the text is not read: it is no sentence, but somebody's page. Bytes. */
const MAX_TEXT_BYTES = 1024

async function readAnswer(response: IncomingMessage): Promise<UpgradeAnswer> {
  const { statusCode: status = 0, headers } = response
  const isSentence = headers["content-type"]?.startsWith("text/plain") && Number(headers["content-length"] ?? Infinity) <= MAX_TEXT_BYTES
  const seconds = Number(headers["retry-after"] ?? NaN)
  const known: UpgradeAnswer = { status, location: headers.location, retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : undefined }
  if (!isSentence) return known
  let text = ""
  try {
    for await (const chunk of response.setEncoding("utf8")) text += String(chunk)
  } catch {
    // Cut in the middle: what has come is said.
  }
  return { ...known, text: text.trim() }
}

/**
 * On Node the class of the package `ws`: Node has one of its own only from version 22 on, and no socket of that one can be told not to
 * keep the process running.
 */
export async function platformWebSocket(): Promise<WebSocketClass> {
  const { WebSocket } = await import("ws")
  return class extends WebSocket {
    constructor(url: string) {
      super(url, OPTIONS)
      // By itself it says the status alone.
      this.on("unexpected-response", (_request, response) => {
        void readAnswer(response).then((answer) => this.emit("error", Object.assign(new Error(`Unexpected server response: ${answer.status}`), { answer })))
      })
    }
  }
}

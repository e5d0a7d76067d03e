import type { ClientOptions } from "ws"
import type { WebSocketClass } from "./webSocket.ts"

/** A hub that does not answer the closing handshake by then is left without it (RFC 6455 §7.1.1 leaves the time open). Milliseconds. */
export const CLOSE_TIMEOUT_MS = 2_000

/** The package's own types do not know it yet. */
const OPTIONS: ClientOptions & { readonly closeTimeout: number } = { closeTimeout: CLOSE_TIMEOUT_MS }

/**
 * On Node the class of the package `ws`: Node has one of its own only from version 22 on, and no socket of that one can be told not to
 * keep the process running.
 */
export async function platformWebSocket(): Promise<WebSocketClass> {
  const { WebSocket } = await import("ws")
  return class extends WebSocket {
    constructor(url: string) {
      super(url, OPTIONS)
    }
  }
}

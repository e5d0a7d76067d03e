import type { WebSocketClass } from "./webSocket.ts"

/** See its twin in `webSocketNode.ts`: anywhere else the platform has one. Rejects where there is none. */
export function platformWebSocket(): Promise<WebSocketClass> {
  const { WebSocket } = globalThis as { readonly WebSocket?: WebSocketClass }
  return WebSocket ? Promise.resolve(WebSocket) : Promise.reject(new Error("There is no WebSocket here: give createHubClient one."))
}

import type { WebSocketClass } from "./webSocket.ts"

/** See its twin in `webSocketNode.ts`: anywhere else the platform has one. @throws Error where there is none */
export async function platformWebSocket(): Promise<WebSocketClass> {
  const { WebSocket } = globalThis as { readonly WebSocket?: WebSocketClass }
  if (WebSocket) return WebSocket
  throw new Error("There is no WebSocket here: give createHubClient one.")
}

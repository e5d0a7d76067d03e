/** What the hub client needs of a WebSocket; the platform's and that of `ws` have it. */
export interface WebSocketLike {
  onopen: ((event: never) => unknown) | null
  onmessage: ((event: never) => unknown) | null
  onclose: ((event: never) => unknown) | null
  onerror: ((event: never) => unknown) | null
  send(data: string): void
  close(code?: number, reason?: string): void
}

export type WebSocketClass = new (url: string) => WebSocketLike

/** The platform's own: browsers and Node from 22 on have one. @throws Error where there is none */
export function platformWebSocket(): WebSocketClass {
  const { WebSocket } = globalThis as { readonly WebSocket?: WebSocketClass }
  if (WebSocket) return WebSocket
  throw new Error("There is no WebSocket here: give createHubClient one, such as `WebSocket` of the package ws.")
}

/** `/ws` on the page's own origin, `https://...` and `wss://...` alike. */
export const socketUrl = (url: string): string => new URL(url, globalThis.location?.href).href.replace(/^http/, "ws")

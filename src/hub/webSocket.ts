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

/** `/ws` on the page's own origin, `https://...` and `wss://...` alike. @throws TypeError for a relative one where there is no page */
export const socketUrl = (url: string): string => new URL(url, globalThis.location?.href).href.replace(/^http/, "ws")

/**
 * An open socket no longer keeps a Node process running, as a session's stream does not. The package `ws` holds its socket under this
 * name; a class without one, such as Node's own, keeps the process until the hub client is closed.
 */
export function releaseProcess(webSocket: WebSocketLike): void {
  const { _socket: socket } = webSocket as { readonly _socket?: { unref?(): unknown } }
  socket?.unref?.()
}

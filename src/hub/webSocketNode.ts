import type { WebSocketClass } from "./webSocket.ts"

/**
 * On Node the class of the package `ws`: Node has one of its own only from version 22 on, and no socket of that one can be told not to
 * keep the process running.
 */
export const platformWebSocket = async (): Promise<WebSocketClass> => (await import("ws")).WebSocket

import { onAbort } from "../lib/signals.ts"
import type { ByteStream, OpenByteStream } from "./byteStream.ts"
import { SessionError } from "./sessionError.ts"
import { openWebSocketStream } from "./streamWebSocket.ts"

/** A stream over `fetch`: what workers and every runtime but Node use, and browsers over HTTP/2 and 3. */
export const streamOverFetch =
  (fetch: typeof globalThis.fetch): OpenByteStream =>
  async (url, headers, signal): Promise<ByteStream> => {
    const response = await fetch(url, { headers, signal, cache: "no-store" })
    if (response.status === 200 && !response.body) throw new SessionError("bad_stream", "This fetch cannot stream; pass createSessionClient one that can.")
    return {
      status: response.status,
      header: (name) => response.headers.get(name),
      async read(onChunk) {
        const reader = response.body?.getReader()
        try {
          for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) onChunk(part.value)
        } finally {
          // What was not read is not wanted.
          reader?.cancel().catch(() => {})
        }
      },
    }
  }

const openFetchStream = streamOverFetch((input, init) => fetch(input, init))

/**
 * Whether the page may have come over HTTP/1, where a stream takes one of six connections for good. A page from the browser's cache,
 * asked for again or not, has an empty protocol, which says nothing (measured in Chromium).
 */
const isOverHttp1 = (): boolean => {
  const [navigation] = globalThis.performance?.getEntriesByType?.("navigation") ?? []
  const protocol = (navigation as PerformanceNavigationTiming | undefined)?.nextHopProtocol
  return protocol !== undefined && !/^h[23]/.test(protocol)
}

/**
 * By `fetch`; over HTTP/1 by WebSocket, once the server has said that it has them, so that a server without any is never asked in vain.
 */
export function createByteStreamOpener(): OpenByteStream {
  let hasSockets: boolean | undefined
  let hasHadSocket = false
  return async (url, headers, signal) => {
    if (!isOverHttp1()) return openFetchStream(url, headers, signal)
    if (hasSockets === undefined) {
      const first = new AbortController()
      const stopFirst = onAbort(signal, () => first.abort(signal.reason))
      const stream = await openFetchStream(url, headers, first.signal)
      hasSockets = stream.status === 200 ? stream.header("event-sockets") === "?1" : undefined
      if (!hasSockets) return stream
      stopFirst()
      first.abort()
    }
    if (!hasSockets) return openFetchStream(url, headers, signal)
    try {
      const stream = await openWebSocketStream(url, headers, signal)
      hasHadSocket = true
      return stream
    } catch (error) {
      if (signal.aborted) throw error
      const stream = await openFetchStream(url, headers, signal)
      // It is the socket that does not get through, and not the network that is gone: for good, unless one did before.
      hasSockets = hasHadSocket
      return stream
    }
  }
}

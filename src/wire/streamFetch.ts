import type { ByteStream, OpenByteStream } from "./byteStream.ts"
import { openWebSocketStream } from "./streamWebSocket.ts"

/** A stream over `fetch`: what workers and every runtime but Node use, and browsers over HTTP/2 and 3. */
export const streamOverFetch =
  (fetch: typeof globalThis.fetch): OpenByteStream =>
  async (url, headers, signal): Promise<ByteStream> => {
    const response = await fetch(url, { headers, signal, cache: "no-store" })
    return {
      status: response.status,
      header: (name) => response.headers.get(name),
      async read(onChunk) {
        const reader = response.body?.getReader()
        for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) onChunk(part.value)
      },
    }
  }

const openFetchStream = streamOverFetch((input, init) => fetch(input, init))

/** Whether the page came over HTTP/1, where a stream takes one of six connections for good. */
const isOverHttp1 = (): boolean => {
  const [navigation] = globalThis.performance?.getEntriesByType?.("navigation") ?? []
  return (navigation as PerformanceNavigationTiming | undefined)?.nextHopProtocol?.startsWith("http/1") === true
}

/** Over HTTP/1 by WebSocket; by `fetch` all the same once a server turned out to have none, and over HTTP/2 and 3. */
export function createByteStreamOpener(): OpenByteStream {
  let hasSockets = true
  return async (url, headers, signal) => {
    if (!hasSockets || !isOverHttp1()) return openFetchStream(url, headers, signal)
    try {
      return await openWebSocketStream(url, headers, signal)
    } catch (error) {
      if (signal.aborted) throw error
      const stream = await openFetchStream(url, headers, signal)
      // It is the socket that failed, and not the network.
      hasSockets = false
      return stream
    }
  }
}

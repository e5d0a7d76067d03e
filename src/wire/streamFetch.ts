import type { ByteStream, OpenByteStream } from "./byteStream.ts"

/** A stream over `fetch`: what browsers, workers and every runtime but Node use. */
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

/** The platform's own way; `fetch` is looked up at each call. */
export const openByteStream: OpenByteStream = streamOverFetch((input, init) => fetch(input, init))

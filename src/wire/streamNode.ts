import * as http from "node:http"
import * as https from "node:https"
import type { ByteStream, OpenByteStream } from "./byteStream.ts"

/**
 * A stream whose socket does not keep the process running, which the body of an open `fetch` does: a worker that has nothing left
 * to do exits although its tool client still serves (README, "Without React").
 */
export const openByteStream: OpenByteStream = (url, headers, signal) =>
  new Promise<ByteStream>((resolve, reject) => {
    const { request } = url.startsWith("https:") ? https : http
    // An agent of its own: a pooled socket, unref'd, would be given to a request that must hold the process.
    const outgoing = request(url, { headers, signal, agent: false }, (incoming) => {
      const read = async (onChunk: (chunk: Uint8Array) => void): Promise<void> => {
        for await (const chunk of incoming) onChunk(chunk as Uint8Array)
        // `for await` ends quietly when the peer went away in the middle of a chunked body.
        if (!incoming.complete) throw new Error("The connection was cut.")
      }
      resolve({
        status: incoming.statusCode ?? 0,
        header: (name) => [incoming.headers[name]].flat().at(0) ?? null,
        read,
      })
    })
    outgoing.on("socket", (socket) => socket.unref())
    outgoing.on("error", reject)
    outgoing.end()
  })

/** See its twin in `streamFetch.ts`: on Node there is but one way. */
export const createByteStreamOpener = (): OpenByteStream => openByteStream

import type { ByteStream, OpenByteStream } from "./byteStream.ts"

/** What the server says first: the answer that a `GET` of the stream would have had. */
interface Head {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

/** A server that does not answer by then, like one behind a proxy that knows no WebSocket, is asked by `fetch` instead. */
export const WEBSOCKET_PATIENCE_MS = 3_000

/**
 * The same stream over a WebSocket: a browser counts it apart from the six connections that it gives one host over HTTP/1.1. The token
 * goes in the first message, never in the URL; the server answers with status and headers, then with the bytes of the stream.
 */
export const openWebSocketStream: OpenByteStream = (url, headers, signal) =>
  new Promise<ByteStream>((resolve, reject) => {
    // Nothing would close it: a signal tells once.
    signal.throwIfAborted()
    const socket = new WebSocket(new URL(url, globalThis.location?.href).href.replace(/^http/, "ws"))
    socket.binaryType = "arraybuffer"
    const early: Uint8Array[] = []
    let onChunk = (chunk: Uint8Array): unknown => early.push(chunk)
    let fail: (error: unknown) => void = reject
    let finish: () => void = () => reject(new Error("The WebSocket was closed before the stream began."))

    const read: ByteStream["read"] = (take) =>
      new Promise<void>((resolveRead, rejectRead) => {
        onChunk = (chunk) => {
          try {
            take(chunk)
          } catch (error) {
            rejectRead(error)
            socket.close()
          }
        }
        fail = rejectRead
        finish = resolveRead
        for (const chunk of early) onChunk(chunk)
        if (socket.readyState === WebSocket.CLOSED) finish()
      })

    const patience = setTimeout(() => socket.close(), WEBSOCKET_PATIENCE_MS)

    socket.onopen = () => {
      socket.send(JSON.stringify({ token: headers["authorization"]?.replace("Bearer ", ""), last_event_id: headers["last-event-id"] }))
    }
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (typeof data !== "string") return void onChunk(new Uint8Array(data))
      clearTimeout(patience)
      let head: Head
      try {
        head = JSON.parse(data) as Head
      } catch (error) {
        fail(error)
        return socket.close()
      }
      resolve({ status: head.status, header: (name) => head.headers[name] ?? null, read })
    }
    socket.onclose = ({ code }) => {
      clearTimeout(patience)
      // 1000 is the server's own end of the stream; anything else is a cut.
      if (code === 1000) finish()
      else fail(new Error(`The WebSocket was closed (${code}).`))
    }
    signal.addEventListener("abort", () => {
      fail(signal.reason)
      socket.close()
    })
  })

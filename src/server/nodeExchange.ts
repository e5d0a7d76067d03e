/** The session server's requests and replies straight on `node:http`, without a web object in between. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Reply, StreamBody } from "./reply.ts"
import { bodyCutShort, type BodyLimits, bodyTooLarge, type RequestHead, type ServerRequest } from "./serverRequest.ts"

/** Targets that mean what they say: nothing that a URL parser would write otherwise, such as `/../` or `%2e`. */
const PLAIN_TARGET = /^(?:\/[A-Za-z0-9_~@:-]+)+(?:\?[\x21\x22\x24-\x7e]*)?$/

/** Hosts that do, and that a URL parser takes: names that end in no number and hold no punycode, and addresses as they are written. */
const NAME = "(?!.*xn--)(?:[a-z0-9_-]+\\.)*[a-z][a-z0-9_-]*"
const OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
const PORT = "(?:[0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"
const PLAIN_HOST = new RegExp(`^(?:${NAME}|${OCTET}(?:\\.${OCTET}){3}|\\[::1\\])(?::${PORT})?$`, "i")

/** How long, and for how many bytes, a body that was answered without being read to its end may go on: a sender that writes reads no answer. */
const LINGER_MS = 500
const LINGER_BYTES = 64 * 1024 * 1024

/** "Internal Server Error" (RFC 9110 §15.6.1). */
const FAILED = 500

const HEADER_NAME = 0
const HEADER_VALUE = 1
const HEADER_WIDTH = 2

/** As the `Headers` of the web reads them, of which a second `Authorization` is one that cannot be read; Node's own would pass over it. */
function headersOf({ rawHeaders }: IncomingMessage): RequestHead["headers"] {
  const get = (wanted: string): string | null => {
    let found: string | null = null
    for (let index = 0; index < rawHeaders.length; index += HEADER_WIDTH) {
      const name = rawHeaders[index + HEADER_NAME] as string
      if (name.length !== wanted.length || (name !== wanted && name.toLowerCase() !== wanted)) continue
      const value = rawHeaders[index + HEADER_VALUE] as string
      found = found === null ? value : `${found}, ${value}`
    }
    return found
  }
  return { get, has: (name) => get(name) !== null }
}

/** Counts while it reads, whatever the sender has said of its length. */
function readText(incoming: IncomingMessage, length: string | null, limits: BodyLimits): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const stop = (): void => {
      incoming.off("data", onData)
      incoming.off("end", onEnd)
      incoming.off("close", onClose)
    }
    function onData(chunk: Buffer): void {
      bytes += chunk.byteLength
      chunks.push(chunk)
      if (bytes <= limits.maxBodyBytes) return
      stop()
      incoming.pause()
      reject(bodyTooLarge(limits))
    }
    function onEnd(): void {
      stop()
      const [only] = chunks
      const text = (chunks.length === 1 && only ? only : Buffer.concat(chunks)).toString()
      // A byte order mark is none of the text (Encoding Standard, "decode").
      resolve(text.startsWith("\uFEFF") ? text.slice(1) : text)
    }
    /** Who sends and goes at once, as a page that is closed, has said all the same what is here by then. */
    function readRest(): boolean {
      if (!incoming.complete || incoming.readableEnded) return false
      for (let chunk = incoming.read() as Buffer | null; chunk; chunk = incoming.read() as Buffer | null) {
        bytes += chunk.byteLength
        chunks.push(chunk)
      }
      // Somebody else may have read a part of it.
      return bytes <= limits.maxBodyBytes && (length === null || Number(length) === bytes)
    }
    function onClose(): void {
      stop()
      if (readRest()) onEnd()
      else reject(bodyCutShort(incoming.errored ?? new Error("The connection was closed.")))
    }
    if (Number(length) > limits.maxBodyBytes) return reject(bodyTooLarge(limits))
    if (incoming.destroyed) return onClose()
    incoming.on("data", onData)
    incoming.on("end", onEnd)
    incoming.on("close", onClose)
  })
}

/** Undefined for a request that must be taken apart with more care. */
export function requestOfNode(incoming: IncomingMessage, outgoing: ServerResponse): ServerRequest | undefined {
  const { method = "GET", url: target = "", httpVersionMajor } = incoming
  const headers = headersOf(incoming)
  const host = headers.get("host")
  // HTTP/2 has other streams below, and a body that somebody has read before, or made text of, is another's to tell of.
  if (httpVersionMajor !== 1 || incoming.readableDidRead || incoming.readableEncoding !== null || host === null || !PLAIN_HOST.test(host) || !PLAIN_TARGET.test(target)) return undefined
  const mark = target.indexOf("?")
  let query: URLSearchParams | undefined
  const request: ServerRequest = {
    method,
    get url() {
      return `${"encrypted" in incoming.socket ? "https" : "http"}://${host}${target}`
    },
    headers,
    path: mark < 0 ? target : target.slice(0, mark),
    get query() {
      return (query ??= new URLSearchParams(mark < 0 ? "" : target.slice(mark)))
    },
    readText: (limits) => readText(incoming, headers.get("content-length"), limits),
    onGone(listener) {
      const onClose = (): void => {
        if (!outgoing.writableFinished) listener()
      }
      outgoing.once("close", onClose)
      if (outgoing.destroyed) onClose()
      return () => outgoing.off("close", onClose)
    },
    withoutBody(signal) {
      const pairs = Array.from({ length: incoming.rawHeaders.length / HEADER_WIDTH }, (_, index): [string, string] => [
        incoming.rawHeaders[index * HEADER_WIDTH + HEADER_NAME] as string,
        incoming.rawHeaders[index * HEADER_WIDTH + HEADER_VALUE] as string,
      ])
      return new Request(request.url, { method, headers: pairs, signal })
    },
    web: undefined,
  }
  return request
}

/** Somebody else has answered, or nobody is there to be answered. */
const isTaken = (outgoing: ServerResponse): boolean => outgoing.destroyed || outgoing.headersSent

function sendStream(incoming: IncomingMessage, outgoing: ServerResponse, { status, headers }: Reply, { maxQueueBytes, open }: StreamBody): void {
  // A response that stands behind another in its connection is not told that this was closed; its request is.
  const isCut = (): boolean => incoming.destroyed && !incoming.readableEnded
  const isLost = isTaken(outgoing) || isCut()
  if (!isLost) outgoing.writeHead(status, headers)
  let isFull = false
  const onFlushed = (): void => {
    if (isFull) source.onRoom()
  }
  // A response that is destroyed, or that somebody else has ended, and has not said so yet throws what is written into the process.
  const isOver = (): boolean => outgoing.destroyed || outgoing.writableEnded
  const source = open({
    get hasRoom() {
      isFull = outgoing.writableLength >= maxQueueBytes
      return !isFull
    },
    write: (text) => void (isOver() || outgoing.write(text, onFlushed)),
    end: () => void (isOver() || outgoing.end()),
    cut: () => void outgoing.destroy(),
  })
  if (isLost) return source.onGone()
  outgoing.on("close", source.onGone)
  incoming.on("close", () => {
    if (isCut()) source.onGone()
  })
}

/** Reads on for a while, so that the sender gets to read the answer, and ends the connection then. */
function linger(incoming: IncomingMessage): void {
  let bytes = 0
  const cut = (): void => {
    clearTimeout(timer)
    if (!incoming.complete) incoming.socket.destroySoon()
  }
  const timer = setTimeout(cut, LINGER_MS)
  timer.unref()
  incoming.on("data", (chunk: Buffer) => {
    bytes += chunk.byteLength
    if (bytes > LINGER_BYTES) cut()
  })
  incoming.on("end", () => clearTimeout(timer))
  incoming.on("error", cut)
  incoming.resume()
}

export function sendReply(incoming: IncomingMessage, outgoing: ServerResponse, reply: Reply): void {
  const { status, headers, body } = reply
  if (!incoming.complete) outgoing.once("finish", () => linger(incoming))
  if (typeof body === "object" && body) return sendStream(incoming, outgoing, reply, body)
  if (isTaken(outgoing)) return
  // In one piece, head and body: its length is said, so that nothing is chunked.
  outgoing.writeHead(status, body === null ? headers : { ...headers, "content-length": Buffer.byteLength(body) })
  // Not chained: what somebody has put around `writeHead` need not give the response back.
  if (body === null) outgoing.end()
  else outgoing.end(body)
}

/** For a reply that cannot be sent, as with a header that HTTP does not carry. */
export function sendFailure(outgoing: ServerResponse): void {
  if (isTaken(outgoing)) return void outgoing.destroy()
  outgoing.statusCode = FAILED
  outgoing.end()
}

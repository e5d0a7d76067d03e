import type { IncomingMessage, ServerResponse } from "node:http"
import type { Seen } from "./proxy.ts"

/** An event stream that runs through the proxy, and what can be done to it. */
export interface LiveStream {
  readonly seen: Seen
  /** Everything that its reader was sent. */
  readonly sent: Buffer
  /** Resets the connection. */
  cut(): void
  /** Ends it as a proxy does whose patience is over: properly, wherever it stands. */
  end(): void
  /** Passes nothing on any more and says nothing of it: the link is dead, the socket open. */
  silence(): void
  /** Passes on again, first what was held back. */
  resume(): void
  /** Sends bytes that the server has never sent. */
  inject(text: string): void
}

/** What happens to the bytes of an answer on their way. */
export interface RelayShape {
  /** Bytes of the body after which the connection is cut. */
  readonly cutAfter?: number
  /** Cuts between the bytes of the first character that has several. */
  readonly cutInCharacter?: boolean
  /** Ends the body properly instead of resetting the connection. */
  readonly endsCleanly?: boolean
  /** Splits what came at once; each part travels alone. */
  readonly split?: (chunk: Buffer) => readonly Buffer[]
  /** Makes other bytes of them. */
  readonly rewrite?: (chunk: Buffer) => Buffer
}

interface RelayOptions extends RelayShape {
  readonly remembers: boolean
  onBytes(): void
  onStream(stream: LiveStream): void
}

/** Where the second byte of the first character of several bytes stands. */
function insideCharacter(chunk: Buffer): number | undefined {
  const index = chunk.findIndex((byte) => byte >= 0xc0)
  return index < 0 ? undefined : index + 1
}

const HOP_BY_HOP = ["connection", "keep-alive", "transfer-encoding"]

/** Passes an answer on; resolves when it has ended, whichever way. */
export function createRelay(answer: IncomingMessage, outgoing: ServerResponse, seen: Seen, options: RelayOptions): Promise<void> {
  const { cutAfter = Infinity, cutInCharacter = false, endsCleanly = false, split = (chunk) => [chunk], rewrite = (chunk) => chunk } = options
  const headers = Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !HOP_BY_HOP.includes(name)))
  const isStream = (answer.headers["content-type"] ?? "").startsWith("text/event-stream")
  // The announced length would betray a cut that nobody else notices.
  if (endsCleanly) delete headers["content-length"]
  let sent = Buffer.alloc(0)
  let count = 0
  let isSilent = false
  let held: Buffer[] = []
  /** How the answer has ended while nothing was passed on. */
  let ending: (() => void) | undefined

  const cut = (): void => {
    if (endsCleanly) outgoing.end()
    else {
      // Whatever was written before must still arrive: a reset would take it along.
      outgoing.socket?.end()
      outgoing.socket?.destroySoon()
    }
    answer.destroy()
  }

  const finish = (how: () => void): void => {
    if (isSilent) ending = how
    else how()
  }

  function pass(chunk: Buffer): void {
    if (isSilent) return void held.push(chunk)
    if (outgoing.writableEnded || outgoing.destroyed) return
    const limit = cutInCharacter ? (insideCharacter(chunk) ?? Infinity) + count : cutAfter
    const part = chunk.subarray(0, limit - count)
    count += part.length
    if (options.remembers) sent = Buffer.concat([sent, part])
    if (part.length > 0) outgoing.write(part)
    if (count >= limit) cut()
  }

  outgoing.writeHead(answer.statusCode ?? 502, headers)
  outgoing.flushHeaders()
  if (isStream) {
    options.onStream({
      seen,
      get sent() {
        return sent
      },
      cut: () => {
        outgoing.destroy()
        answer.destroy()
      },
      end: () => {
        outgoing.end()
        answer.destroy()
      },
      silence: () => (isSilent = true),
      resume() {
        isSilent = false
        const waiting = held
        held = []
        for (const chunk of waiting) pass(chunk)
        ending?.()
      },
      inject: (text) => void outgoing.write(text),
    })
  }
  if (cutAfter === 0) cut()
  return new Promise((resolve) => {
    outgoing.once("close", resolve)
    answer.on("data", (chunk: Buffer) => {
      options.onBytes()
      for (const part of split(rewrite(chunk))) pass(part)
    })
    answer.on("end", () => finish(() => outgoing.end()))
    // The server has gone away in the middle: so does the answer.
    answer.on("error", () => finish(() => outgoing.destroy()))
    answer.on("aborted", () => finish(() => outgoing.destroy()))
  })
}

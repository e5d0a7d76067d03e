import WebSocket from "ws"

export type Frame = Readonly<Record<string, unknown>>

/** A session played by hand: raw frames over a real socket. */
export interface RawSession {
  readonly socket: WebSocket
  /** Writes a frame: an object as JSON, a string or bytes as they are. */
  send(frame: object | string | Buffer): void
  /** The next frame that was not taken yet. */
  next(): Promise<Frame>
  /** The next frame that `matches`; others stay to be taken. */
  nextWhere(matches: (frame: Frame) => boolean): Promise<Frame>
  /** Sends and takes the reply of this nonce. */
  ask(frame: Frame): Promise<Frame>
  authenticate(token?: string): Promise<RawSession>
  /** Resolves with the close code. */
  readonly closed: Promise<number>
  close(): void
}

export async function openRawSession(url: string, options: WebSocket.ClientOptions = {}): Promise<RawSession> {
  const socket = new WebSocket(url, options)
  const frames: Frame[] = []
  const waiting: (() => void)[] = []
  const closed = new Promise<number>((resolve) => socket.once("close", (code) => resolve(code)))
  let nonces = 0
  socket.on("message", (data: Buffer) => {
    frames.push(JSON.parse(data.toString()) as Frame)
    for (const wake of waiting.splice(0)) wake()
  })
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve)
    socket.once("error", reject)
  })
  socket.on("error", () => {})

  const session: RawSession = {
    socket,
    closed,
    send(frame) {
      socket.send(typeof frame === "string" || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame))
    },
    next: () => session.nextWhere(() => true),
    async nextWhere(matches) {
      for (;;) {
        const index = frames.findIndex(matches)
        const [frame] = index < 0 ? [] : frames.splice(index, 1)
        if (frame) return frame
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
    },
    async ask(frame) {
      const nonce = `n${nonces++}`
      session.send({ nonce, ...frame })
      return session.nextWhere((other) => other.nonce === (frame.nonce ?? nonce))
    },
    async authenticate(token = "ada") {
      const reply = await session.ask({ action: "authenticate", body: { token } })
      if (reply.message !== "authenticated") throw new Error(`not authenticated: ${JSON.stringify(reply)}`)
      return session
    },
    close: () => socket.close(),
  }
  return session
}

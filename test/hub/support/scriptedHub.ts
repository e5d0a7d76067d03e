import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import { type WebSocket, WebSocketServer } from "ws"
import type { Frame } from "./rawSession.ts"

/** The hub's end of one socket, played by hand. */
export interface ScriptedSocket {
  readonly socket: WebSocket
  /** The next frame of this action; others stay to be taken. */
  next(action: string): Promise<Frame>
  /** Frames that were not taken yet. */
  readonly untaken: readonly Frame[]
  send(frame: object | string | Buffer): void
  /** Replies to the next frame of this action. */
  reply(action: string, reply: object): Promise<Frame>
  readonly closed: Promise<number>
}

export interface ScriptedHub {
  readonly url: string
  /** The next socket that a client opens, authenticated unless told otherwise. */
  accept(reply?: object): Promise<ScriptedSocket>
}

/** A hub that does what the test says, over real sockets. */
export async function startScriptedHub(): Promise<ScriptedHub> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" })
  const sockets: ScriptedSocket[] = []
  const waiting: (() => void)[] = []
  const wake = (): void => {
    for (const resolve of waiting.splice(0)) resolve()
  }
  const change = (): Promise<void> => new Promise((resolve) => waiting.push(resolve))
  await new Promise((resolve) => server.once("listening", resolve))
  onTestFinished(() => {
    for (const socket of server.clients) socket.terminate()
    server.close()
  })

  server.on("connection", (socket) => {
    const untaken: Frame[] = []
    const scripted: ScriptedSocket = {
      socket,
      untaken,
      closed: new Promise((resolve) => socket.once("close", resolve)),
      async next(action) {
        for (;;) {
          const index = untaken.findIndex((frame) => frame.action === action)
          const [frame] = index < 0 ? [] : untaken.splice(index, 1)
          if (frame) return frame
          await change()
        }
      },
      send: (frame) => socket.send(typeof frame === "string" || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame)),
      async reply(action, reply) {
        const frame = await scripted.next(action)
        scripted.send({ ...reply, nonce: frame.nonce })
        return frame
      },
    }
    socket.on("message", (data: Buffer) => {
      untaken.push(JSON.parse(data.toString()) as Frame)
      wake()
    })
    sockets.push(scripted)
    wake()
  })

  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async accept(reply = { message: "authenticated" }) {
      while (sockets.length === 0) await change()
      const socket = sockets.shift() as ScriptedSocket
      await socket.reply("authenticate", reply)
      return socket
    },
  }
}

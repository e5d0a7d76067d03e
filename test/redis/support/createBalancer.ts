import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { atEndOfFile } from "./atEndOfFile.ts"

export interface Balancer {
  readonly url: string
  /** Ports, the one that is tried first in front. */
  order: readonly number[]
  /** Cuts all connections, as when the balancer itself is replaced. */
  cut(): void
}

/** Passes connections on to the first server that takes them, as a load balancer in front of several does. */
export async function createBalancer(order: readonly number[]): Promise<Balancer> {
  const sockets = new Set<Socket>()
  const track = (socket: Socket): void => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.on("close", () => sockets.delete(socket))
  }
  const server = createServer({ pauseOnConnect: true }, (near) => {
    track(near)
    const tryNext = ([port, ...others]: readonly number[]): void => {
      if (port === undefined) return void near.destroy()
      const far = connect(port, "127.0.0.1")
      track(far)
      far.once("connect", () => {
        near.pipe(far)
        far.pipe(near)
        near.on("close", () => far.destroy())
        far.on("close", () => near.destroy())
        near.resume()
      })
      far.once("error", () => {
        if (far.bytesRead + far.bytesWritten === 0) tryNext(others)
      })
    }
    tryNext(balancer.order)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { port: number }
  const balancer: Balancer = {
    url: `http://127.0.0.1:${port}`,
    order,
    cut() {
      for (const socket of [...sockets]) socket.destroy()
    },
  }
  atEndOfFile(() => {
    server.close()
    balancer.cut()
  })
  return balancer
}

/** Sees what is under way between the two ends of the connections of this process: bytes, connects and closes. */
import { subscribe } from "node:diagnostics_channel"
import type { Socket } from "node:net"

interface End {
  readonly socket: Socket
  /** Own and other port, once connected. */
  own?: string
  other?: string
  closedAt?: number
}

/** A close that the other end has not seen by then is one that it does not look for. */
const CLOSE_SEEN_MS = 200

const ends = new Set<End>()
const byPorts = new Map<string, End>()

function watch(socket: Socket): void {
  const end: End = { socket }
  ends.add(end)
  const onConnected = (): void => {
    end.own = `${socket.localPort}-${socket.remotePort}`
    end.other = `${socket.remotePort}-${socket.localPort}`
    byPorts.set(end.own, end)
  }
  if (socket.connecting || socket.localPort === undefined) socket.once("connect", onConnected)
  else onConnected()
  socket.once("close", () => {
    end.closedAt = Date.now()
    const other = end.other === undefined ? undefined : byPorts.get(end.other)
    if (other && other.closedAt === undefined) return
    for (const gone of [end, other]) {
      if (!gone) continue
      ends.delete(gone)
      if (gone.own !== undefined && byPorts.get(gone.own) === gone) byPorts.delete(gone.own)
    }
  })
}

subscribe("net.client.socket", (message) => watch((message as { socket: Socket }).socket))
subscribe("net.server.socket", (message) => watch((message as { socket: Socket }).socket))

/** Whether a connect, a close or bytes have left one end and not reached the other. */
export function isUnderWay(): boolean {
  for (const end of ends) {
    const { socket, other: ports, closedAt } = end
    if (closedAt === undefined && socket.connecting) return true
    const other = ports === undefined ? undefined : byPorts.get(ports)
    if (!other) continue
    if (closedAt !== undefined) {
      if (Date.now() - closedAt < CLOSE_SEEN_MS) return true
    } else if (other.closedAt === undefined && socket.bytesWritten > other.socket.bytesRead) return true
  }
  return false
}

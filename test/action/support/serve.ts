import { getRequestListener } from "@hono/node-server"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

/** Serves on a port of this machine until the test is over; gives the URL. */
export async function serveNode(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export function serve(fetch: (request: Request) => Promise<Response>): Promise<string> {
  const listener = getRequestListener(fetch, { overrideGlobalObjects: false })
  return serveNode((incoming, outgoing) => void listener(incoming, outgoing))
}

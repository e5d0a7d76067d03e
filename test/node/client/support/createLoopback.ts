import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

export interface Loopback {
  readonly url: string
  /** Answers all requests from now on. */
  answer(handler: Handler): void
  close(): Promise<void>
}

/** A real HTTP server on loopback whose answers a test writes itself, down to the byte. */
export async function createLoopback(): Promise<Loopback> {
  let current: Handler = (_request, response) => void response.writeHead(500).end()
  const server = createServer((request, response) => {
    void (async () => current(request, response))().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    answer(handler) {
      current = handler
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The whole body of a request, as text. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

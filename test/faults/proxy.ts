import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Fault, Turn } from "./faults.ts"
import { createRelay, type LiveStream } from "./relay.ts"

export type RequestKind = "stream" | "register" | "update" | "ping" | "ack" | "answer" | "delete" | "other"

/** One request as the proxy saw it. */
export interface Seen {
  readonly kind: RequestKind
  readonly method: string
  readonly path: string
  readonly authorization: string
  readonly lastEventId: string | undefined
  /** By the world's clock. */
  readonly at: number
  readonly text: string
  /** The body as JSON, undefined when it is none. */
  readonly body: Record<string, unknown> | undefined
  /** What the client was answered; undefined while it was not. */
  status: number | undefined
}

export interface FaultProxy {
  /** Where the client connects; stays when the server behind it is another. */
  readonly url: string
  /** Where requests go on to; undefined: there is no server. */
  target: number | undefined
  /** All requests, oldest first. */
  readonly seen: readonly Seen[]
  of(...kinds: readonly RequestKind[]): readonly Seen[]
  /** The next request of this kind meets `fault`; called several times, one after the other. */
  next(kind: RequestKind, ...faults: readonly Fault[]): void
  /** Every request of these kinds meets `fault` until the returned function is called. `next` goes first. */
  always(kinds: readonly RequestKind[], fault: Fault): () => void
  /** Asked for each request that no other rule is for. */
  decide: ((seen: Seen) => Fault | undefined) | undefined
  /** Open event streams, oldest first. */
  readonly streams: readonly LiveStream[]
  /** Requests on their way that nothing holds up on purpose. */
  readonly busy: number
  /** Moves with every byte and every request. */
  readonly activity: number
  close(): Promise<void>
}

function kindOf(method: string, path: string): RequestKind {
  if (method === "GET" && path.endsWith("/events")) return "stream"
  if (method === "POST" && path.endsWith("/tool-clients")) return "register"
  if (method === "PUT" && path.endsWith("/tools")) return "update"
  if (method === "DELETE") return "delete"
  const kinds: Readonly<Record<string, RequestKind>> = { ping: "ping", acks: "ack", answers: "answer" }
  return kinds[path.split("/").at(-1) ?? ""] ?? "other"
}

const parse = (text: string): Record<string, unknown> | undefined => {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return undefined
  }
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Connections that come at once; one too many would wait a second for its second try. */
const BACKLOG = 4096

/** A proxy on loopback that does to requests, answers and streams what networks and proxies do to them. */
export async function createFaultProxy(options: {
  now(): number
  /** Whether `seen` and what streams have `sent` are kept. @default true */
  remembers?: boolean
}): Promise<FaultProxy> {
  const { now, remembers = true } = options
  const seen: Seen[] = []
  const queued = new Map<RequestKind, Fault[]>()
  const standing: { readonly kinds: readonly RequestKind[]; readonly fault: Fault }[] = []
  const streams = new Set<LiveStream>()
  let busy = 0
  let activity = 0

  const ruleFor = (entry: Seen): Fault | undefined =>
    queued.get(entry.kind)?.shift() ?? standing.findLast(({ kinds }) => kinds.includes(entry.kind))?.fault ?? proxy.decide?.(entry)

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = "", url: path = "" } = incoming
    activity++
    busy++
    let isParked = false
    const leave = (): void => {
      if (!isParked) busy--
      isParked = true
    }
    outgoing.once("close", () => {
      activity++
      leave()
    })
    outgoing.on("error", () => {})
    const body = await readBody(incoming).catch(() => undefined)
    if (!body) return leave()
    const text = body.toString()
    const entry: Seen = {
      kind: kindOf(method, path.split("?")[0] ?? ""),
      method,
      path,
      authorization: incoming.headers.authorization ?? "",
      lastEventId: incoming.headers["last-event-id"] as string | undefined,
      at: now(),
      text,
      body: parse(text),
      status: undefined,
    }
    if (remembers) seen.push(entry)

    const turn: Turn = {
      seen: entry,
      outgoing,
      forward: ({ part = body, outlives = false } = {}) =>
        new Promise<IncomingMessage>((resolve, reject) => {
          if (proxy.target === undefined) return reject(new Error("there is no server"))
          const headers = { ...incoming.headers, connection: "close" }
          const onward = httpRequest({ port: proxy.target, host: "127.0.0.1", method, path, headers, agent: false }, (answer) => {
            activity++
            resolve(answer)
          })
          onward.on("error", reject)
          onward.on("close", () => activity++)
          // A client that goes away takes its request along.
          if (!outlives) outgoing.once("close", () => onward.destroy())
          if (part.length < body.length) onward.write(part, () => onward.destroy())
          else onward.end(part)
        }),
      relay(answer, shape) {
        entry.status = answer.statusCode
        return createRelay(answer, outgoing, entry, {
          ...shape,
          remembers,
          onBytes: () => activity++,
          onStream(stream) {
            streams.add(stream)
            // Open for as long as it lasts: nothing to wait for.
            leave()
            outgoing.once("close", () => streams.delete(stream))
          },
        })
      },
      reply(status, headers, text) {
        entry.status = status
        outgoing.writeHead(status, headers)
        outgoing.end(text)
      },
      drop() {
        outgoing.socket?.resetAndDestroy()
        outgoing.destroy()
      },
      async park(until) {
        leave()
        await until
        if (outgoing.destroyed) throw new Error("The client has gone meanwhile.")
        isParked = false
        busy++
      },
    }
    const fault = ruleFor(entry)
    try {
      if (fault) await fault(turn)
      else await turn.relay(await turn.forward())
    } catch {
      // No server, or it went away: so does the connection.
      turn.drop()
    }
  }

  const http = createServer((incoming, outgoing) => void handle(incoming, outgoing))
  // What a client's pool keeps is closed by the proxy only when a fault says so.
  http.keepAliveTimeout = 0
  await new Promise<void>((resolve) => http.listen({ port: 0, host: "127.0.0.1", backlog: BACKLOG }, resolve))
  const { port } = http.address() as AddressInfo

  const proxy: FaultProxy = {
    url: `http://127.0.0.1:${port}`,
    target: undefined,
    seen,
    of: (...kinds) => seen.filter(({ kind }) => kinds.includes(kind)),
    next: (kind, ...faults) => void queued.set(kind, [...(queued.get(kind) ?? []), ...faults]),
    always(kinds, fault) {
      const rule = { kinds, fault }
      standing.push(rule)
      return () => void standing.splice(standing.indexOf(rule), 1)
    },
    decide: undefined,
    get streams() {
      return [...streams]
    },
    get busy() {
      return busy
    },
    get activity() {
      return activity
    },
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve())
        http.closeAllConnections()
      }),
  }
  return proxy
}

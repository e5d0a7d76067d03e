import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
import type { Clock, TimerHandle } from "../../lib/clock.ts"
import { createDeferred } from "../../lib/deferred.ts"
import { randomId } from "../../lib/randomId.ts"
import type { ToolServer } from "./mcpServer.ts"

/** An MCP session that nobody has asked or listened to for so long is forgotten; its client begins another. Milliseconds: half an hour. */
export const MCP_IDLE_MS = 30 * 60_000

/** MCP sessions at once, of all owners; the one that is idle longest gives way to a new one, which is refused where none is idle. */
export const MAX_MCP_SESSIONS = 1_000

interface McpSession {
  readonly server: ToolServer
  readonly transport: WebStandardStreamableHTTPServerTransport
  /** Whose it is: an id alone lets nobody in. */
  readonly owner: string
  /** Requests and streams under way. */
  busy: number
  timer: TimerHandle
}

export interface McpSessionsOptions {
  readonly clock: Clock
  /** Bytes of a request's body. */
  readonly maxBodyBytes: number
  /** @default MAX_MCP_SESSIONS */
  readonly maxSessions?: number
}

export interface McpSessions {
  /** Answers a request of this owner. A new session is served by what `create` makes. */
  handle(request: Request, owner: string, create: () => ToolServer): Promise<Response>
  /** Resolves once no request waits for its answer any more; streams that only listen are not waited for. */
  drained(): Promise<void>
  close(): Promise<void>
}

/** In the shape in which the SDK's transport refuses. */
const refusal = (status: number, code: number, message: string): Response => Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status })

/** The same response, with a call when its body has ended or is not wanted any more. */
function whenRead(response: Response, onEnd: () => void): Response {
  if (!response.body) {
    onEnd()
    return response
  }
  const reader = response.body.getReader()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        controller.close()
      } catch (error) {
        controller.error(error)
      }
      onEnd()
    },
    cancel(reason) {
      onEnd()
      return reader.cancel(reason)
    },
  })
  return new Response(body, response)
}

/** The MCP sessions that this process holds: Streamable HTTP, one transport and one server each. */
export function createMcpSessions({ clock, maxBodyBytes, maxSessions = MAX_MCP_SESSIONS }: McpSessionsOptions): McpSessions {
  // The one that was used last stands last.
  const sessions = new Map<string, McpSession>()
  /** Requests whose answers are not read to their end. */
  const answering = new Set<Promise<void>>()

  function end(id: string): Promise<void> {
    const session = sessions.get(id)
    if (!session) return Promise.resolve()
    sessions.delete(id)
    clock.clearTimeout(session.timer)
    return session.transport.close()
  }

  /** Runs a request of the session, which does not count as idle until the answer was read. */
  async function run(id: string, session: McpSession, request: Request): Promise<Response> {
    sessions.delete(id)
    sessions.set(id, session)
    session.busy++
    clock.clearTimeout(session.timer)
    const release = (): void => {
      session.busy--
      if (session.busy === 0 && sessions.get(id) === session) session.timer = clock.setTimeout(() => void end(id), MCP_IDLE_MS)
    }
    const answered = createDeferred<void>()
    const isListening = request.method === "GET"
    if (!isListening) answering.add(answered.promise)
    const finish = (): void => {
      release()
      answering.delete(answered.promise)
      answered.resolve()
    }
    let response: Response
    try {
      response = await session.transport.handleRequest(request)
    } catch (error) {
      finish()
      throw error
    }
    if (isListening && response.ok) session.server.listened()
    return whenRead(response, finish)
  }

  const isFull = (): boolean => sessions.size >= maxSessions && [...sessions.values()].every(({ busy }) => busy > 0)

  function makeRoom(): void {
    for (const [id, { busy }] of sessions) {
      if (sessions.size < maxSessions) return
      if (busy === 0) void end(id)
    }
  }

  async function begin(request: Request, owner: string, create: () => ToolServer): Promise<Response> {
    if (isFull()) return refusal(503, -32000, `This server has ${maxSessions} MCP sessions that are in use. Try again later.`)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomId,
      maxRequestBodySize: maxBodyBytes,
      onsessioninitialized: (id) => {
        makeRoom()
        sessions.set(id, session)
      },
    })
    const session: McpSession = { server: create(), transport, owner, busy: 0, timer: undefined }
    transport.onclose = () => {
      if (transport.sessionId !== undefined) sessions.delete(transport.sessionId)
      clock.clearTimeout(session.timer)
    }
    await session.server.connect(transport)
    const response = await transport.handleRequest(request)
    if (transport.sessionId === undefined) {
      // It was no initialize request: the response says so, and nothing is left behind.
      void transport.close()
      return response
    }
    session.timer = clock.setTimeout(() => void end(transport.sessionId ?? ""), MCP_IDLE_MS)
    return response
  }

  return {
    async handle(request, owner, create) {
      const id = request.headers.get("mcp-session-id")
      if (id === null) return begin(request, owner, create)
      const session = sessions.get(id)
      return session?.owner === owner ? run(id, session, request) : refusal(404, -32001, "There is no such MCP session (any more): initialize a new one.")
    },
    async drained() {
      while (answering.size > 0) await Promise.all(answering)
    },
    async close() {
      await Promise.all([...sessions.keys()].map(end))
    },
  }
}

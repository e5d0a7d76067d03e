/** A real client, a real server, real sockets between them through the fault proxy; time passes only when told to. */
import { afterEach, expect } from "vitest"
import { type CallOutcome, createSessionServer, serve, type ServedSession, type SessionServer, type SessionServerOptions } from "../../src/server/index.ts"
import type { GetToken } from "../../src/session/authorizedRequests.ts"
import { createSessionClient, type OpenOptions, type SessionClientOptions } from "../../src/session/sessionClient.ts"
import type { RawTool } from "../../src/tool/tool.ts"
import type { Session } from "../../src/toolClient/session.ts"
import type { ToolClient, ToolClientOptions } from "../../src/toolClient/toolClient.ts"
import { createWorldTime, type Machine } from "./machines.ts"
import { isUnderWay } from "./network.ts"
import { createFaultProxy, type FaultProxy } from "./proxy.ts"

export const API_KEY = "key-of-the-agent"
const SECRET = "a secret of thirty-two bytes, at least"

/** Turns of the event loop without a byte or a request, after which nothing more comes by itself. */
const CALM_TURNS = 12

/** Real time after which a world that does not calm down is a failure. */
const PATIENCE_MS = 10_000

export interface Call {
  readonly outcome: Promise<CallOutcome>
  /** What the agent got, undefined until then. */
  readonly settled: CallOutcome | undefined
  readonly error: unknown
}

export interface Page {
  readonly session: Session
  /** What its `onError` has heard. */
  readonly errors: readonly unknown[]
  /** A client with its tools, served. */
  serving(name?: string, tools?: Readonly<Record<string, Execute>>, options?: ToolClientOptions): Promise<ToolClient>
}

export type Execute = RawTool["execute"]

export interface World {
  readonly proxy: FaultProxy
  readonly server: SessionServer
  readonly sessionId: string
  /** The machine that the client runs on. */
  readonly machine: Machine
  readonly serverMachine: Machine
  readonly now: number
  /** Call ids in the order in which `execute` began. */
  readonly executed: readonly string[]
  open(options?: Partial<SessionClientOptions> & OpenOptions & { readonly sessionId?: string }): Page
  /** A tool that keeps the ledger. */
  tool(execute?: Execute): RawTool
  /** The agent calls a tool, in the world's own session unless another is named. */
  call(tool: string, args?: unknown, sessionId?: string): Call
  toolNames(): Promise<readonly string[]>
  /** A new token; the world counts as busy until it is there. */
  token(sessionId?: string): Promise<string>
  /** Waits until nothing is under way any more. */
  quiet(): Promise<void>
  /** Waits in real time, while the world's own stands still. */
  until(condition: () => boolean): Promise<void>
  /** Lets time pass, and everything that it brings happen. */
  pass(ms: number): Promise<void>
  /** Lets time pass until `condition` holds, `ms` at most; gives the milliseconds that it took. */
  within(ms: number, condition: () => boolean | Promise<boolean>): Promise<number>
  /** Stops the server; without its memory, all that it knew is gone. */
  stop(options: { readonly keepsMemory: boolean }): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

export interface WorldOptions {
  readonly server?: SessionServerOptions
  /** For the client's jitter. */
  readonly random?: () => number
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const worlds: World[] = []
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close()
})

export async function createWorld({ server: serverOptions = {}, random }: WorldOptions = {}): Promise<World> {
  const time = createWorldTime()
  const machine = time.machine(random)
  const serverMachine = time.machine()
  const proxy = await createFaultProxy({ now: () => time.now })
  const executed: string[] = []
  const serverErrors: unknown[] = []
  const sessions: Session[] = []
  let tracked = 0
  let served: ServedSession | undefined
  let server: SessionServer | undefined

  /** Counts as busy until it is settled. */
  async function track<Value>(promise: Promise<Value>): Promise<Value> {
    tracked++
    try {
      return await promise
    } finally {
      tracked--
    }
  }

  async function quiet(): Promise<void> {
    const until = Date.now() + PATIENCE_MS
    let activity = proxy.activity
    for (let calm = 0; calm < CALM_TURNS; calm++) {
      await turn()
      const isCalm = proxy.busy === 0 && tracked === 0 && activity === proxy.activity
      if (isCalm && !(calm === CALM_TURNS - 1 && isUnderWay())) continue
      activity = proxy.activity
      calm = -1
      if (Date.now() > until) throw new Error(`The world does not calm down: ${proxy.busy} requests and ${tracked} promises are under way.`)
    }
  }

  async function start(): Promise<void> {
    server ??= createSessionServer({
      apiKey: API_KEY,
      secret: SECRET,
      clock: serverMachine,
      logger: { warn() {}, error: (_message, error) => serverErrors.push(error) },
      ...serverOptions,
    })
    served = await serve(server)
    proxy.target = served.port
  }

  async function stop({ keepsMemory }: { keepsMemory: boolean }): Promise<void> {
    proxy.target = undefined
    if (!keepsMemory) {
      await server?.close()
      server = undefined
    }
    await served?.close()
    served = undefined
    await quiet()
  }

  await start()
  const token = (id: string): Promise<string> => track(theServer().createToken(id)).then((issued) => issued.token)
  const theServer = (): SessionServer => {
    if (!server) throw new Error("The server is stopped.")
    return server
  }
  const { id: sessionId } = await theServer().createSession()

  const world: World = {
    proxy,
    get server() {
      return theServer()
    },
    sessionId,
    machine,
    serverMachine,
    get now() {
      return time.now
    },
    executed,
    open({ sessionId: id = sessionId, signal, onError, ...options } = {}) {
      const errors: unknown[] = []
      const getToken: GetToken = token
      const session = createSessionClient({ baseUrl: proxy.url, clock: machine, getToken, ...options }).open(id, {
        signal,
        onError(error) {
          errors.push(error)
          onError?.(error)
        },
      })
      sessions.push(session)
      return {
        session,
        errors,
        async serving(name = "web", tools = { add: () => "done" }, clientOptions = {}) {
          const client = session.createToolClient(name, clientOptions)
          for (const [toolName, execute] of Object.entries(tools)) client.addTool(toolName, world.tool(execute))
          await quiet()
          expect(client.state.status).toBe("serving")
          return client
        },
      }
    },
    tool: (execute = () => "done") => ({
      description: "Does it.",
      parameters: { type: "object" },
      execute(args, call) {
        executed.push(call.callId)
        return execute(args, call)
      },
    }),
    call(tool, args, inSession = sessionId) {
      const outcome = theServer().callTool(inSession, tool, args)
      const state: { settled: CallOutcome | undefined; error: unknown } = { settled: undefined, error: undefined }
      outcome.then(
        (settled) => (state.settled = settled),
        (error: unknown) => (state.error = error),
      )
      return {
        outcome,
        get settled() {
          return state.settled
        },
        get error() {
          return state.error
        },
      }
    },
    toolNames: async () => (await theServer().tools(sessionId)).map(({ name }) => name),
    token: (id = sessionId) => token(id),
    quiet,
    async until(condition) {
      for (const until = Date.now() + PATIENCE_MS; !condition(); ) {
        await turn()
        if (Date.now() > until) throw new Error(`It did not come to pass: ${condition.toString()}`)
      }
    },
    pass: (ms) => time.pass(ms, quiet).then(quiet),
    async within(ms, condition) {
      const begin = time.now
      await quiet()
      while (!(await condition())) {
        const left = begin + ms - time.now
        if (left <= 0) throw new Error(`It did not come to pass within ${ms} ms: ${condition.toString()}`)
        await time.pass(Math.min(left, STEP_MS), quiet)
        await quiet()
      }
      return time.now - begin
    },
    stop,
    start,
    async close() {
      const closing = Promise.all(sessions.map((session) => session.close()))
      // What hangs in a fault is given up in its own time.
      proxy.decide = undefined
      await time.pass(CLOSING_MS, quiet)
      await closing
      await server?.close()
      await served?.close()
      await quiet()
      await proxy.close()
      expect({ timers: machine.pending, holds: machine.holds }, "what the client left behind").toEqual({ timers: 0, holds: 0 })
      expect(serverMachine.pending, "timers that the server left behind").toBe(0)
      expect(serverErrors, "what the server logged").toEqual([])
      expect(new Set(executed).size, "calls that ran more than once").toBe(executed.length)
    },
  }
  worlds.push(world)
  return world
}

/** How finely `within` looks. */
const STEP_MS = 100

/** Longer than any request of a session that closes may take. */
const CLOSING_MS = 120_000


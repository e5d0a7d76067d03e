import { createSessionClient } from "../../../src/session/sessionClient.ts"
import type { RawTool } from "../../../src/tool/tool.ts"
import type { Session } from "../../../src/toolClient/session.ts"
import type { ToolClient } from "../../../src/toolClient/toolClient.ts"
import { createFaultProxy, type FaultProxy } from "../proxy.ts"
import type { SeededRandom } from "../random.ts"
import { createChance } from "./chance.ts"
import { createFastClock } from "./fastClock.ts"
import type { Ledger } from "./ledger.ts"

export interface PageOptions {
  /** Of this load of the page. */
  readonly name: string
  /** What the tab's storage holds, whatever the key: the page's URL is another after each load here. */
  readonly storage: { value: string | undefined }
  /** The server's. */
  life(): number
  readonly sessionId: string
  readonly speed: number
  readonly random: SeededRandom
  readonly ledger: Ledger
  readonly target: number | undefined
  /** Its clients live until they are deleted: such a page must not crash. */
  readonly isForever: boolean
  getToken(sessionId: string): Promise<string>
}

/** A page with a network of its own, which meets faults by chance. */
export interface Page {
  readonly proxy: FaultProxy
  /** One thing that a page or its network does, by chance. */
  step(): void
  /** No more faults: from now on all that it sends arrives. */
  heal(): void
  /** Nothing of it reaches anybody any more, and nobody hears that it is gone. */
  crash(): void
  /** It is loaded again: its last words may still arrive, and its tab remembers it. */
  unload(): void
  /** The whole names that should be offered for it; undefined while it does not serve. */
  mounted(): readonly string[] | undefined
  /** What its clients say of themselves, for people. */
  describe(): string
  /** Resolves when nothing of it is left; tells of what is. */
  close(onStage?: (stage: string) => void): Promise<void>
}

const CLIENT_NAMES = ["web", "web", "shop", "map"]
const TOOL_NAMES = ["a", "b", "c", "d", "e", "f"]

/** Milliseconds of the page's clock in which it may come back by itself. */
const RETRY_FAILED_MS = 2_000

export async function createPage(options: PageOptions): Promise<Page> {
  const { name, sessionId, speed, random, ledger } = options
  const clock = createFastClock(speed, random)
  const proxy = await createFaultProxy({ now: clock.now, remembers: false })
  proxy.target = options.target
  proxy.decide = createChance({ random, clock: { setTimeout: (callback, ms) => setTimeout(callback, ms / speed).unref() }, onFault: (fault) => ledger.count(fault) })
  const controller = new AbortController()
  const clients = new Map<ToolClient, Set<string>>()
  const known = new Map<ToolClient, string>()
  let isGone = false

  const { storage } = options
  const window = new EventTarget()
  const globals = {
    window,
    document: Object.assign(new EventTarget(), { visibilityState: "visible" }),
    sessionStorage: {
      getItem: () => storage.value ?? null,
      setItem: (_key: string, value: string) => void (storage.value = value),
      removeItem: () => void (storage.value = undefined),
    },
  }
  /** There are many pages in this process: each sees its own window only while it is opened and unloaded. */
  function inPage<Value>(task: () => Value): Value {
    for (const [name, value] of Object.entries(globals)) Object.defineProperty(globalThis, name, { configurable: true, value })
    try {
      return task()
    } finally {
      for (const name of Object.keys(globals)) Object.defineProperty(globalThis, name, { configurable: true, value: undefined })
    }
  }
  const session: Session = inPage(() =>
    createSessionClient({ baseUrl: proxy.url, clock, getToken: options.getToken }).open(sessionId, {
      signal: controller.signal,
      onError: () => ledger.count("errors told"),
    }),
  )
  const later = (callback: () => void, ms: number): void => void setTimeout(callback, ms / speed).unref()
  session.subscribe(({ status }) => {
    // As a person would: the token was refused twice by chance.
    if (status === "failed") later(() => session.retry(), RETRY_FAILED_MS)
  })

  const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = clock.setTimeout(() => {
        signal.removeEventListener("abort", abort)
        resolve()
      }, ms)
      const abort = (): void => {
        clock.clearTimeout(timer)
        reject(signal.reason as Error)
      }
      signal.addEventListener("abort", abort, { once: true })
    })

  function tool(): RawTool<{ key: string; words: string }> {
    const kind = random.below(10)
    return {
      description: `Kind ${kind}.`,
      parameters: { type: "object", properties: { key: { type: "string" } } },
      concurrency: random.pick(["parallel", "parallel", "serial", "latest"]),
      ...(random.chance(0.2) && { timeout: 1_000 + random.below(5_000) }),
      async execute({ key, words }, call) {
        // The code of a page that has gone runs on only here.
        if (!isGone) ledger.ran(name, call.callId, options.life())
        const text = `${call.callId} ${key} ${words}`
        switch (kind) {
          case 0:
            throw new Error(`on purpose: ${text}`)
          case 1:
            // Comes back only when it is aborted.
            await sleep(400_000, call.signal)
            return text
          case 2:
            return text + "€".repeat(random.below(20_000))
          case 3: {
            // Changes what is offered, and the model's next call must find it.
            addTool()
            return text
          }
          case 4:
          case 5:
            await sleep(random.below(20_000), call.signal)
            return text
          default:
            return text
        }
      },
    }
  }

  const anyClient = (): ToolClient | undefined => random.pick([...clients.keys()])

  function addClient(): void {
    if (clients.size >= 3) return
    const lifetime = options.isForever ? ({ type: "never" } as const) : ({ type: "ttl", data: { seconds: random.pick([10, 30, 60]) } } as const)
    const client = session.createToolClient(random.pick(CLIENT_NAMES), { lifetime })
    clients.set(client, new Set())
    known.set(client, lifetime.type)
    for (let count = 0; count < 3; count++) addTool(client)
  }

  function addTool(client = anyClient()): void {
    const tools = client && clients.get(client)
    if (!tools) return
    const toolName = random.pick(TOOL_NAMES)
    client.addTool(toolName, tool())
    tools.add(toolName)
  }

  function removeTool(): void {
    const client = anyClient()
    const tools = client && clients.get(client)
    if (!tools || tools.size < 2) return
    const toolName = random.pick([...tools])
    client.removeTool(toolName)
    tools.delete(toolName)
  }

  function deleteClient(): void {
    const client = anyClient()
    if (!client || clients.size < 2) return
    clients.delete(client)
    // Refused, it is asked again, as a component would that unmounts.
    const ask = (): void =>
      void session.deleteToolClient(client).catch(() => {
        if (!isGone && session.state.status !== "closed") later(ask, 1_000)
      })
    ask()
  }

  addClient()

  function crash(): void {
    isGone = true
    proxy.decide = undefined
    proxy.target = undefined
    for (const stream of proxy.streams) stream.silence()
  }

  return {
    proxy,
    step() {
      const stream = proxy.streams.length > 0 ? random.pick(proxy.streams) : undefined
      const steps: readonly (() => void)[] = [
        () => addTool(),
        () => addTool(),
        removeTool,
        addClient,
        deleteClient,
        () => stream?.cut(),
        () => stream?.end(),
        () => {
          stream?.silence()
          ledger.count("silenced")
        },
      ]
      random.pick(steps)()
    },
    heal() {
      proxy.decide = undefined
    },
    crash,
    unload() {
      isGone = true
      inPage(() => window.dispatchEvent(Object.assign(new Event("pagehide"), { persisted: false })))
      setTimeout(crash, random.below(50))
    },
    mounted() {
      if (session.state.status !== "open") return undefined
      const names: string[] = []
      for (const [{ state }, tools] of clients) {
        if (state.status !== "serving") return undefined
        for (const toolName of tools) names.push(`client__${state.name}__${toolName}`)
      }
      return names
    },
    describe: () => `${name}: ${session.state.status}; ${[...known].map(([client, life]) => `${client.state.name ?? client.name} ${client.state.id?.slice(0, 6)} ${client.state.status} ${life}`).join("; ")}`,
    async close(onStage = () => {}) {
      onStage(`its session, which is ${session.state.status}, with ${[...clients.keys()].map(({ state }) => state.status).join()}`)
      controller.abort()
      await session.close()
      onStage("its proxy")
      await proxy.close()
      if (clock.pending > 0 || clock.holds > 0) ledger.violated(`The page ${name} left ${clock.pending} timers and ${clock.holds} holds behind.`)
    },
  }
}

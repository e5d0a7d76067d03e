import { callSafely, type ErrorHandler, reportToConsole } from "../lib/callSafely.ts"
import { type Clock, systemClock } from "../lib/clock.ts"
import { randomId } from "../lib/randomId.ts"
import { createStore } from "../lib/store.ts"
import { createWaiter } from "../lib/waiter.ts"
import type { ToolClientPort } from "../toolClient/port.ts"
import type { Session, SessionState } from "../toolClient/session.ts"
import type { ToolClientOptions } from "../toolClient/toolClient.ts"
import { createToolClientRegistry } from "../toolClient/toolClientRegistry.ts"

export interface LocalSessionOptions {
  /** @default "local" */
  readonly id?: string | undefined
  /** Hears what its tool clients have no handler for. @default `console.error` */
  readonly onError?: ErrorHandler | undefined
  /** @default the machine's own */
  readonly clock?: Clock | undefined
}

/** Nobody can lose it: the page is its own other side, and no ping shows that it lives. */
const OPTIONS: ToolClientOptions = { lifetime: { type: "never" } }

/** Takes everything at once, and keeps only the names apart. */
function createLocalPort(): ToolClientPort {
  const names = new Map<string, string>()
  return {
    register({ name: wanted }) {
      const id = randomId()
      const taken = new Set(names.values())
      let name = wanted
      for (let count = 2; taken.has(name); count++) name = `${wanted}_${count}`
      names.set(id, name)
      return Promise.resolve({ id, name })
    },
    update: () => Promise.resolve(),
    ping: () => Promise.resolve(),
    answer: () => Promise.resolve(),
    remove: (id) => Promise.resolve(void names.delete(id)),
    failureOf: () => ({ kind: "refused" }),
  }
}

/**
 * A session without a server, for a page whose tools only the browser's own agent shall find: `useToolClient(createLocalSession(), "web")`
 * and `<WebMcpMirror>`. All hooks work with it as with any session; it is open from the beginning, and nothing goes over a network.
 * Make it once, outside of components.
 */
export function createLocalSession(options: LocalSessionOptions = {}): Session {
  const { id = "local", clock = systemClock } = options
  const onError: ErrorHandler = (error) => callSafely(options.onError ?? reportToConsole, error, reportToConsole)
  const store = createStore<SessionState>({ id, status: "open", error: undefined, isRunning: false }, onError)
  const registry = createToolClientRegistry({
    port: createLocalPort(),
    clock,
    waiter: createWaiter(clock),
    tab: { value: randomId() },
    isOpen: () => store.state.status === "open",
    onError,
  })

  function refuseWhenClosed(): void {
    if (store.state.status === "closed") throw new Error(`The session "${id}" is closed; make another before creating tool clients.`)
  }

  return {
    get state() {
      return store.state
    },
    subscribe: store.subscribe,
    createToolClient(name, clientOptions) {
      refuseWhenClosed()
      return registry.create(name, { ...clientOptions, ...OPTIONS })
    },
    registry,
    deleteToolClient: (client) => registry.delete(client),
    shareToolClient(name, clientOptions) {
      refuseWhenClosed()
      return registry.share(name, { ...clientOptions, ...OPTIONS })
    },
    retry() {},
    async close() {
      if (store.state.status !== "closed") store.set({ id, status: "closed", error: undefined, isRunning: false })
      await registry.deleteAll()
    },
  }
}

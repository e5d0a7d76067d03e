import { randomId } from "../lib/randomId.ts"
import type { ToolAnswer, ToolSpec } from "../tool/toolSpec.ts"
import type { Registration, ToolClientPort } from "../toolClient/port.ts"
import { isRetryable, SessionError } from "../wire/sessionError.ts"

/** One request that a tool client sent, in the order they came. */
export type TestRequest =
  | { readonly type: "register"; readonly client: string; readonly tools: readonly string[] }
  | { readonly type: "update"; readonly client: string; readonly tools: readonly string[] }
  | { readonly type: "ping"; readonly client: string; readonly word?: "leaving" | "suspended" }
  | { readonly type: "ack" | "answer"; readonly client: string; readonly callId: string }
  | { readonly type: "delete"; readonly client: string }

/** A tool client as the memory server knows it. */
export interface ServedClient {
  readonly id: string
  readonly name: string
  readonly instanceId: string
  readonly loadId: string
  tools: readonly ToolSpec[]
}

export interface MemoryPort {
  readonly port: ToolClientPort
  readonly clients: ReadonlyMap<string, ServedClient>
  readonly requests: readonly TestRequest[]
  /** Makes the next `times` requests of this type fail with `error`, a status, or no answer at all (`"network"`). */
  failNext(type: TestRequest["type"], failure: SessionError | number | "network", times?: number): void
  /** Holds all requests until the returned function is called. */
  hold(): () => void
  /** Forgets a client, as a server that was restarted does. */
  forget(id: string): void
}

const NOT_FOUND = (id: string): SessionError =>
  new SessionError("tool_client_not_found", `No tool client "${id}" here.`, { status: 404 })

function errorOf(failure: SessionError | number | "network"): SessionError {
  if (failure instanceof SessionError) return failure
  if (failure === "network") return new SessionError("network", "The network is down (a fault of the test).")
  const code = failure === 409 ? "settled" : failure === 404 || failure === 410 ? "tool_client_not_found" : failure === 429 || failure >= 500 ? "unavailable" : "refused"
  return new SessionError(code, `Answered ${failure} (a fault of the test).`, { status: failure })
}

/**
 * The other side of tool clients, in memory: names kept apart, a log of every request, and switches for faults.
 *
 * @param onAnswer - Takes an answer; `false` when the call is settled already.
 */
export function createMemoryPort(onAnswer: (callId: string, answer: ToolAnswer) => boolean): MemoryPort {
  const clients = new Map<string, ServedClient>()
  const requests: TestRequest[] = []
  const failures: { type: TestRequest["type"]; error: SessionError }[] = []
  let held: Promise<void> | undefined

  const freeName = (wanted: string): string => {
    const taken = new Set([...clients.values()].map((client) => client.name))
    let name = wanted
    for (let count = 2; taken.has(name); count++) name = `${wanted}_${count}`
    return name
  }

  async function receive(request: TestRequest): Promise<void> {
    requests.push(request)
    // As over a network: nothing is answered within the tick that asked.
    await Promise.resolve()
    await held
    const index = failures.findIndex((failure) => failure.type === request.type)
    const [failure] = index < 0 ? [] : failures.splice(index, 1)
    if (failure) throw failure.error
  }

  const known = (id: string): ServedClient => {
    const client = clients.get(id)
    if (!client) throw NOT_FOUND(id)
    return client
  }
  const nameOf = (id: string): string => clients.get(id)?.name ?? id
  const namesOf = (tools: readonly ToolSpec[]): readonly string[] => tools.map((tool) => tool.name)

  async function register({ name, instanceId, loadId, tools }: Registration): Promise<{ id: string; name: string }> {
    await receive({ type: "register", client: name, tools: namesOf(tools) })
    const same = [...clients.values()].find((client) => client.instanceId === instanceId)
    if (same?.loadId === loadId) {
      same.tools = tools
      return same
    }
    if (same) clients.delete(same.id)
    const client: ServedClient = { id: randomId(), name: same?.name ?? freeName(name), instanceId, loadId, tools }
    clients.set(client.id, client)
    return client
  }

  return {
    clients,
    requests,
    failNext(type, failure, times = 1) {
      for (let count = 0; count < times; count++) failures.push({ type, error: errorOf(failure) })
    },
    hold() {
      let release = (): void => {}
      held = new Promise((resolve) => {
        release = resolve
      })
      return () => {
        held = undefined
        release()
      }
    },
    forget(id) {
      clients.delete(id)
    },
    port: {
      register,
      async update(id, _revision, tools) {
        await receive({ type: "update", client: nameOf(id), tools: namesOf(tools) })
        known(id).tools = tools
      },
      async ping(id, word) {
        const said = word && ("leaving" in word ? "leaving" : "suspended")
        await receive({ type: "ping", client: nameOf(id), ...(said && { word: said }) })
        known(id)
      },
      async ack(id, callId) {
        await receive({ type: "ack", client: nameOf(id), callId })
        known(id)
      },
      async answer(id, callId, answer) {
        await receive({ type: "answer", client: nameOf(id), callId })
        known(id)
        if (!onAnswer(callId, answer)) throw errorOf(409)
      },
      async remove(id) {
        await receive({ type: "delete", client: nameOf(id) })
        clients.delete(id)
      },
      failureOf(error) {
        if (isRetryable(error)) return { kind: "retry" }
        if (!(error instanceof SessionError)) return { kind: "refused" }
        if (error.code === "tool_client_not_found") return { kind: "gone" }
        if (error.code === "settled") return { kind: "settled" }
        return { kind: error.status === 413 ? "too_large" : "refused" }
      },
    },
  }
}

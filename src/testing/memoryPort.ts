import { randomId } from "../lib/randomId.ts"
import type { ToolAnswer, ToolSpec } from "../tool/toolSpec.ts"
import type { Registered, Registration, ToolClientPort } from "../toolClient/port.ts"
import { MAX_TOOLS_PER_CLIENT } from "../wire/limits.ts"
import { isRetryable, SessionError } from "../wire/sessionError.ts"
import { errorOf, type MemoryFaults } from "./memoryFaults.ts"
import type { TestRequest } from "./testRequest.ts"

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
  /** Forgets a client, as a server that was restarted does. */
  forget(id: string): void
}

export interface MemoryPortOptions {
  readonly faults: MemoryFaults
  /** Takes an answer; `false` when the call is settled already. */
  onAnswer(callId: string, answer: ToolAnswer): boolean
  /** A client was registered that was not there before. */
  onRegister?(client: ServedClient): void
}

const NOT_FOUND = (id: string): SessionError =>
  new SessionError("tool_client_not_found", `No tool client "${id}" here.`, { status: 404 })

/** The other side of tool clients, in memory: names kept apart, and a log of every request. */
export function createMemoryPort({ faults, onAnswer, onRegister }: MemoryPortOptions): MemoryPort {
  const clients = new Map<string, ServedClient>()
  /** As a server does, it takes no late copy of a registration that was deleted since. */
  const deletedLoads = new Set<string>()
  const requests: TestRequest[] = []

  const freeName = (wanted: string): string => {
    const taken = new Set([...clients.values()].map((client) => client.name))
    let name = wanted
    for (let count = 2; taken.has(name); count++) name = `${wanted}_${count}`
    return name
  }

  /** A request from its sending to its response. */
  async function exchange<Response>(request: TestRequest, serve: () => Response): Promise<Response> {
    requests.push(request)
    await faults.pass(request.type)
    const response = serve()
    faults.respond(request.type)
    return response
  }

  const known = (id: string): ServedClient => {
    const client = clients.get(id)
    if (!client) throw faults.mark(NOT_FOUND(id))
    return client
  }
  const nameOf = (id: string): string => clients.get(id)?.name ?? id
  const namesOf = (tools: readonly ToolSpec[]): readonly string[] => tools.map((tool) => tool.name)

  function register({ name, instanceId, loadId, tools }: Registration): Registered {
    const same = [...clients.values()].find((client) => client.instanceId === instanceId)
    if (same?.loadId === loadId) {
      same.tools = tools
      return same
    }
    if (deletedLoads.has(loadId)) throw faults.mark(NOT_FOUND(instanceId))
    if (same) clients.delete(same.id)
    const client: ServedClient = { id: randomId(), name: same?.name ?? freeName(name), instanceId, loadId, tools }
    clients.set(client.id, client)
    onRegister?.(client)
    return client
  }

  return {
    clients,
    requests,
    forget: (id) => void clients.delete(id),
    port: {
      maxTools: MAX_TOOLS_PER_CLIENT,
      register: (registration) =>
        exchange({ type: "register", client: registration.name, tools: namesOf(registration.tools) }, () => register(registration)),
      update: (id, _revision, tools) =>
        exchange({ type: "update", client: nameOf(id), tools: namesOf(tools) }, () => void (known(id).tools = tools)),
      ping(id, word) {
        const said = word && ("leaving" in word ? "leaving" : "suspended")
        return exchange({ type: "ping", client: nameOf(id), ...(said && { word: said }) }, () => void known(id))
      },
      ack: (id, callId) => exchange({ type: "ack", client: nameOf(id), callId }, () => void known(id)),
      answer: (id, callId, answer) =>
        exchange({ type: "answer", client: nameOf(id), callId }, () => {
          known(id)
          if (!onAnswer(callId, answer)) throw errorOf(409)
        }),
      remove: (id) =>
        exchange({ type: "delete", client: nameOf(id) }, () => {
          const client = clients.get(id)
          if (client) deletedLoads.add(client.loadId)
          clients.delete(id)
        }),
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

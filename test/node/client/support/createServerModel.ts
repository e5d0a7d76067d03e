import { createSessionPort } from "../../../../src/session/sessionPort.ts"
import type { ToolAnswer, ToolSpec } from "../../../../src/tool/toolSpec.ts"
import type { Registration, ToolClientPort } from "../../../../src/toolClient/port.ts"
import { errorOfResponse } from "../../../../src/wire/errorOfResponse.ts"
import { SessionError } from "../../../../src/wire/sessionError.ts"

/** One request as it came to the server, in the order they came. */
export type ModelRequest =
  | { readonly type: "register"; readonly form: Registration; readonly tools: readonly ToolSpec[] }
  | { readonly type: "update"; readonly id: string; readonly revision: number; readonly tools: readonly ToolSpec[] }
  | { readonly type: "ping"; readonly id: string; readonly word: "leaving" | "suspended" | undefined }
  | { readonly type: "ack"; readonly id: string; readonly callId: string }
  | { readonly type: "answer"; readonly id: string; readonly callId: string; readonly answer: ToolAnswer }
  | { readonly type: "delete"; readonly id: string }

export type RequestType = ModelRequest["type"]

export interface ModelClient {
  readonly id: string
  readonly name: string
  readonly instanceId: string
  readonly loadId: string
  revision: number
  tools: readonly ToolSpec[]
}

type Fault = (request: ModelRequest) => void | Promise<void>

export interface ServerModel {
  readonly port: ToolClientPort
  readonly clients: ReadonlyMap<string, ModelClient>
  readonly requests: readonly ModelRequest[]
  /** The answers that were taken. */
  readonly answers: ReadonlyMap<string, ToolAnswer>
  /** Runs before each request takes effect, and may throw or wait: nobody heard of the request. */
  before: Fault
  /** Runs after each request took effect, and may throw or wait: its answer is lost, or late. */
  after: Fault
  /** A call that has its outcome already: another answer is answered 409. */
  settle(callId: string): void
  forget(): void
  of<Type extends RequestType>(type: Type): readonly Extract<ModelRequest, { type: Type }>[]
  /** The names of the tools of the only client there is; `undefined` when there is none. */
  tools(): readonly string[] | undefined
}

export const network = (): SessionError => new SessionError("network", "The network is down (a fault of the test).")

/** What the server would answer with this status. */
export function refusal(status: number, code?: SessionError["code"], retryAfterMs?: number): SessionError {
  const usual =
    status === 409 ? "settled" : status === 404 || status === 410 ? "tool_client_not_found" : status === 401 ? "unauthorized" : status === 429 || status >= 500 ? "unavailable" : "refused"
  return new SessionError(code ?? usual, `Answered ${status} (a fault of the test).`, { status, retryAfterMs })
}

/** A fault that happens to the next `times` requests of a type, and then no more. */
export function faults(...list: readonly (readonly [type: RequestType, error: SessionError, times?: number])[]): Fault {
  const left = list.flatMap(([type, error, times = 1]) => Array.from({ length: times }, () => ({ type, error })))
  return ({ type }) => {
    const index = left.findIndex((fault) => fault.type === type)
    if (index >= 0) throw left.splice(index, 1)[0]!.error
  }
}

/** A server as docs/PROTOCOL.md has it, as a port: what tool clients send takes effect in memory, with faults where a test wants them. */
export function createServerModel(): ServerModel {
  const clients = new Map<string, ModelClient>()
  const requests: ModelRequest[] = []
  const answers = new Map<string, ToolAnswer>()
  const settled = new Set<string>()
  const deletedLoads = new Set<string>()
  let ids = 0
  const { failureOf } = createSessionPort({ send: () => Promise.reject(new Error("unused")) }, "")

  async function receive<Result>(request: ModelRequest, effect: () => Result): Promise<Result> {
    requests.push(request)
    // As over a network: nothing is answered within the tick that asked.
    await Promise.resolve()
    await model.before(request)
    const result = effect()
    await model.after(request)
    return result
  }

  function known(id: string): ModelClient {
    const client = clients.get(id)
    if (client) return client
    throw refusal(404)
  }

  const freeName = (wanted: string): string => {
    const taken = new Set([...clients.values()].map(({ name }) => name))
    let name = wanted
    for (let suffix = 2; taken.has(name); suffix++) name = `${wanted}_${suffix}`
    return name
  }

  const model: ServerModel = {
    clients,
    requests,
    answers,
    before: () => {},
    after: () => {},
    settle: (callId) => void settled.add(callId),
    forget: () => clients.clear(),
    of: <Type extends RequestType>(type: Type) => requests.filter((request): request is Extract<ModelRequest, { type: Type }> => request.type === type),
    tools() {
      if (clients.size > 1) throw new Error(`The server has ${clients.size} clients, not one.`)
      return [...clients.values()][0]?.tools.map(({ name }) => name)
    },
    port: {
      register: (form) =>
        receive({ type: "register", form, tools: form.tools }, () => {
          const { instanceId, loadId, tools, revision = 0 } = form
          const earlier = [...clients.values()].find((client) => client.instanceId === instanceId)
          if (earlier?.loadId === loadId) {
            if (form.revision === undefined || revision >= earlier.revision) Object.assign(earlier, { tools, revision })
            return { id: earlier.id, name: earlier.name }
          }
          if (deletedLoads.has(`${instanceId} ${loadId}`)) throw errorOfResponse("A registration", { status: 409, body: { error: { code: "tool_client_deleted", message: "" } } })!
          if (earlier) clients.delete(earlier.id)
          const client: ModelClient = { id: `id${++ids}`, name: earlier?.name ?? freeName(form.name), instanceId, loadId, revision, tools }
          clients.set(client.id, client)
          return { id: client.id, name: client.name }
        }),
      update: (id, revision, tools) =>
        receive({ type: "update", id, revision, tools }, () => {
          const client = known(id)
          if (revision >= client.revision) Object.assign(client, { tools, revision })
        }),
      ping: (id, word) =>
        receive({ type: "ping", id, word: word && ("leaving" in word ? "leaving" : "suspended") }, () => void known(id)),
      ack: (id, callId) => receive({ type: "ack", id, callId }, () => void known(id)),
      answer: (id, callId, answer) =>
        receive({ type: "answer", id, callId, answer }, () => {
          known(id)
          const taken = answers.get(callId)
          const isSame = taken?.text === answer.text && taken.is_error === answer.is_error
          if (settled.has(callId) || (taken && !isSame)) throw refusal(409)
          answers.set(callId, answer)
        }),
      remove: (id) =>
        receive({ type: "delete", id }, () => {
          const client = clients.get(id)
          if (client) deletedLoads.add(`${client.instanceId} ${client.loadId}`)
          clients.delete(id)
        }),
      failureOf,
    },
  }
  return model
}

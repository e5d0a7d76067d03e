import type { ToolSpec } from "../../tool/toolSpec.ts"
import type { Registered, Registration, ToolClientPort } from "../../toolClient/port.ts"
import type { RequestType } from "./history.ts"

/** A request as it goes out; `id` is missing in a registration, which asks for one. */
export interface Sent {
  readonly type: RequestType
  readonly id: string | undefined
  readonly form?: Registration
  readonly tools?: readonly ToolSpec[]
  readonly callId?: string
  readonly word?: "leaving" | "suspended" | undefined
  readonly body: unknown
}

export interface PortWatcher {
  /** Runs `send`, or something in its place. */
  around<Value>(sent: Sent, send: () => Promise<Value>): Promise<Value>
}

/** Puts a watcher around each request of a port, in place: whoever holds the port is watched. Returns its removal. */
export function wrapPort(port: ToolClientPort, { around }: PortWatcher): () => void {
  // Only its requests: whatever else a port has may be computed, and stays as it is.
  const { register, update, ping, ack, progress, answer, remove } = port
  const original = { register, update, ping, ...(ack && { ack }), ...(progress && { progress }), answer, remove }

  Object.assign(port, {
    register: (form) => around<Registered>({ type: "register", id: undefined, form, tools: form.tools, body: form }, () => register(form)),
    update: (id, revision, tools) =>
      around({ type: "update", id, tools, body: { revision, tools } }, () => update(id, revision, tools)),
    ping(id, word, revision) {
      const said = word && ("leaving" in word ? "leaving" : "suspended")
      return around({ type: "ping", id, word: said, body: word ?? {} }, () => ping(id, word, revision))
    },
    answer: (id, callId, body) => around({ type: "answer", id, callId, body }, () => answer(id, callId, body)),
    ...(ack && { ack: (id, callId) => around({ type: "ack", id, callId, body: { callId } }, () => ack(id, callId)) }),
    ...(progress && { progress: (id, callId, body) => around({ type: "progress", id, callId, body }, () => progress(id, callId, body)) }),
    remove: (id) => around({ type: "delete", id, body: {} }, () => remove(id)),
  } satisfies Partial<ToolClientPort>)
  return () => {
    Object.assign(port, original)
  }
}

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
  /** A call that the panel made: nothing of it may reach the server, which knows no such call. */
  isByHand(callId: string): boolean
  /** Whether a request of `id` counts as a sign of life. */
  isPinged(id: string): boolean
}

/**
 * Puts a watcher around each method of a port, in place: whoever holds the port is watched. Returns its removal.
 *
 * The client takes an accepted ack or answer for a sign of life, and puts off its next ping. For a call that the server does not
 * know a real ping goes in its place, so that the sign is true.
 */
export function wrapPort(port: ToolClientPort, { around, isByHand, isPinged }: PortWatcher): () => void {
  // Only its requests: whatever else a port has may be computed, and stays as it is.
  const { register, update, ping, ack, answer, remove } = port
  const original = { register, update, ping, ...(ack && { ack }), answer, remove }

  async function inPlaceOf(type: "ack" | "answer", id: string, callId: string): Promise<void> {
    if (isPinged(id)) await around({ type: "ping", id, callId, body: `in place of the ${type} of a call by hand` }, () => ping(id))
  }

  Object.assign(port, {
    register: (form) => around<Registered>({ type: "register", id: undefined, form, tools: form.tools, body: form }, () => register(form)),
    update: (id, revision, tools) =>
      around({ type: "update", id, tools, body: { revision, tools } }, () => update(id, revision, tools)),
    ping(id, word) {
      const said = word && ("leaving" in word ? "leaving" : "suspended")
      return around({ type: "ping", id, word: said, body: word ?? {} }, () => ping(id, word))
    },
    answer: (id, callId, body) =>
      isByHand(callId) ? inPlaceOf("answer", id, callId) : around({ type: "answer", id, callId, body }, () => answer(id, callId, body)),
    ...(ack && {
      ack: (id, callId) =>
        isByHand(callId) ? inPlaceOf("ack", id, callId) : around({ type: "ack", id, callId, body: { callId } }, () => ack(id, callId)),
    }),
    remove: (id) => around({ type: "delete", id, body: {} }, () => remove(id)),
  } satisfies Partial<ToolClientPort>)
  return () => {
    Object.assign(port, original)
  }
}

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
  const original = { ...port }

  async function inPlaceOf(type: "ack" | "answer", id: string, callId: string): Promise<void> {
    if (isPinged(id)) await around({ type: "ping", id, callId, body: `in place of the ${type} of a call by hand` }, () => original.ping(id))
  }

  const watched: ToolClientPort = {
    ...original,
    register: (form) =>
      around<Registered>({ type: "register", id: undefined, form, tools: form.tools, body: form }, () => original.register(form)),
    update: (id, revision, tools) =>
      around({ type: "update", id, tools, body: { revision, tools } }, () => original.update(id, revision, tools)),
    ping(id, word) {
      const said = word && ("leaving" in word ? "leaving" : "suspended")
      return around({ type: "ping", id, word: said, body: word ?? {} }, () => original.ping(id, word))
    },
    answer: (id, callId, answer) =>
      isByHand(callId)
        ? inPlaceOf("answer", id, callId)
        : around({ type: "answer", id, callId, body: answer }, () => original.answer(id, callId, answer)),
    remove: (id) => around({ type: "delete", id, body: {} }, () => original.remove(id)),
  }
  const { ack } = original
  if (ack) {
    watched.ack = (id, callId) =>
      isByHand(callId) ? inPlaceOf("ack", id, callId) : around({ type: "ack", id, callId, body: { callId } }, () => ack(id, callId))
  }
  Object.assign(port, watched)
  return () => {
    Object.assign(port, original)
  }
}

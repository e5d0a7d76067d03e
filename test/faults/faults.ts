/** What can happen to one request on its way: each fault does all that is done with it. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http"
import type { Seen } from "./proxy.ts"
import type { RelayShape } from "./relay.ts"

/** One request in a fault's hands. */
export interface Turn {
  readonly seen: Seen
  readonly outgoing: ServerResponse
  /**
   * Sends it on to the server, or only the first part of its body. Rejects when no answer comes.
   * It ends with the client's connection unless it `outlives` that.
   */
  forward(options?: { readonly part?: Buffer; readonly outlives?: boolean }): Promise<IncomingMessage>
  /** Passes the server's answer on. */
  relay(answer: IncomingMessage, shape?: RelayShape): Promise<void>
  /** Answers without asking anybody. */
  reply(status: number, headers: OutgoingHttpHeaders, text: string): void
  /** Resets the client's connection. */
  drop(): void
  /** Waits on purpose: the world need not wait for this request meanwhile. Rejects when the client has gone then. */
  park(until: Promise<unknown>): Promise<void>
}

export type Fault = (turn: Turn) => Promise<void>

/** Reads an answer that nobody gets. */
async function discard(answer: IncomingMessage): Promise<void> {
  answer.resume()
  await new Promise((resolve) => answer.once("close", resolve))
}

const CODES: Readonly<Record<number, string>> = {
  401: "invalid_token",
  404: "tool_client_not_found",
  410: "tool_client_not_found",
  413: "body_too_large",
  429: "too_many_calls",
  500: "internal_error",
  503: "server_closed",
}

/** The server's own refusal. */
export const refuse =
  (status: number, options: { code?: string; retryAfter?: string } = {}): Fault =>
  async ({ reply }) => {
    const { code = CODES[status] ?? "refused", retryAfter } = options
    reply(
      status,
      { "content-type": "application/json", ...(retryAfter !== undefined && { "retry-after": retryAfter }) },
      JSON.stringify({ error: { code, message: "The fault proxy says so." } }),
    )
  }

/** Some other program's page, as a proxy shows it during a deploy. */
export const answerHtml =
  (status: number): Fault =>
  async ({ reply }) =>
    reply(status, { "content-type": "text/html; charset=utf-8" }, "<!doctype html><title>Bad gateway</title><h1>Bad gateway</h1>")

export const answer =
  (status: number, headers: OutgoingHttpHeaders = {}, text = ""): Fault =>
  async ({ reply }) =>
    reply(status, headers, text)

/** The connection breaks before the server hears of it. */
export const drop: Fault = async (turn) => turn.drop()

/** The server has it, but nobody learns what it said. */
export const loseAnswer: Fault = async (turn) => {
  await discard(await turn.forward())
  turn.drop()
}

/** The server has it, and its answer is never heard of: no reset tells that the link is dead. */
export const swallowAnswer: Fault = async (turn) => {
  await discard(await turn.forward())
  await turn.park(new Promise(() => {}))
}

/** The server gets it twice, one after the other; the client gets the second answer. */
export const duplicate: Fault = async (turn) => {
  await discard(await turn.forward())
  await turn.relay(await turn.forward())
}

/** The connection breaks in the middle of the upload. */
export const cutUpload: Fault = async (turn) => {
  const body = Buffer.from(turn.seen.text)
  await turn.forward({ part: body.subarray(0, Math.floor(body.length / 2)) }).catch(() => {})
  turn.drop()
}

/** Accepted, and then silence: neither answer nor reset. The server hears nothing of it. */
export const halfOpen: Fault = (turn) => turn.park(new Promise(() => {}))

/** Shapes the bytes of the answer. */
export const shape =
  (relayShape: RelayShape): Fault =>
  async (turn) =>
    turn.relay(await turn.forward(), relayShape)

/** Held before the server has it, until released. */
export function hold(): { readonly fault: Fault; release(): void } {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  return {
    release,
    async fault(turn) {
      await turn.park(released)
      await turn.relay(await turn.forward())
    },
  }
}

/** A copy that gets stuck on its way: the client's connection breaks, and the server has the request when it is delivered. */
export function stuck(): { readonly fault: Fault; deliver(): Promise<void> } {
  let stuckTurn: Turn | undefined
  return {
    async fault(turn) {
      stuckTurn = turn
      turn.drop()
    },
    async deliver() {
      if (!stuckTurn) throw new Error("Nothing is stuck.")
      await discard(await stuckTurn.forward({ outlives: true }))
    },
  }
}

/** Held up for a time of the given clock. */
export const delay =
  (clock: { setTimeout(callback: () => void, ms: number): unknown }, ms: number): Fault =>
  async (turn) => {
    await turn.park(new Promise<void>((resolve) => clock.setTimeout(resolve, ms)))
    await turn.relay(await turn.forward())
  }

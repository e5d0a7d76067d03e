/** What a session server tells its observers: names, ids, times and reasons, never arguments, answers or tokens. */
import { callSafely } from "../lib/callSafely.ts"
import type { SettleReason } from "../wire/messages.ts"
import type { SessionServerErrorCode } from "./sessionServerError.ts"

interface OfSession {
  readonly sessionId: string
}

interface OfCall extends OfSession {
  readonly callId: string
  readonly clientId: string
  /** As its client calls it, without `client__<name>__`. */
  readonly tool: string
}

interface OfClient extends OfSession {
  readonly clientId: string
  /** The name that the server gave it. */
  readonly name: string
}

/** Why a stream has ended. `reader` is its page, `slow_reader` one that does not read, `session` one that is gone. */
export type StreamEnd = "reader" | "slow_reader" | "token_expired" | "token_revoked" | "session" | "server" | "failure"

/** By type. A duration is in milliseconds. Each is told on the process where it happened, once. */
export interface ServerEvents {
  /** An agent has asked for a call, over HTTP or in process. */
  readonly "call.requested": OfCall & {
    /** What `authorize` said, `api_key`, or `in_process`. */
    readonly who: string
    /** The request's W3C trace context, for a span of its own below it. */
    readonly traceparent: string | null
  }
  readonly "call.dispatched": OfCall & {
    /** It was sent before: it was not acked in time, or its page was loaded anew. */
    readonly isRepeat: boolean
  }
  readonly "call.acked": OfCall & { /** Since it was made. */ readonly durationMs: number }
  readonly "call.settled": OfCall & {
    readonly reason: SettleReason
    readonly isError: boolean
    /** Since it was made. */
    readonly durationMs: number
  }
  readonly "client.registered": OfClient & { readonly toolCount: number }
  readonly "client.deleted": OfClient
  readonly "client.expired": OfClient
  readonly "stream.opened": OfSession
  readonly "stream.closed": OfSession & { readonly reason: StreamEnd; readonly durationMs: number }
  readonly "session.revoked": OfSession
  readonly "token.revoked": OfSession & { readonly tokenId: string }
  /** Of a stream: its headers. */
  readonly "request.answered": {
    readonly method: string
    /** The path's pattern, `/v1/sessions/:sid/tools`; `unknown` where there is none. */
    readonly route: string
    readonly status: number
    /** Why it was refused, or null. */
    readonly code: SessionServerErrorCode | null
    readonly durationMs: number
  }
  /** The server refuses what is new, and waits for what is under way. */
  readonly "server.draining": { readonly graceMs: number }
  readonly "server.closed": Readonly<Record<never, never>>
}

export type ServerEventName = keyof ServerEvents

/** One event: a union on `type`. `at` is in milliseconds since the epoch. */
export type ServerEvent = {
  [Name in ServerEventName]: { readonly type: Name; readonly at: number } & ServerEvents[Name]
}[ServerEventName]

/** Hears what happens, in the middle of it: it should return at once. What it throws goes to the logger and breaks nothing. */
export type ServerObserver = (event: ServerEvent) => void

/** An event before somebody has looked at the clock. */
export type UntimedEvent = { [Name in ServerEventName]: { readonly type: Name } & ServerEvents[Name] }[ServerEventName]

export type Tell = (event: UntimedEvent) => void

export function createTell(observers: readonly ServerObserver[], now: () => number, report: (error: unknown) => void): Tell {
  return (event) => {
    for (const observer of observers) callSafely(observer, { ...event, at: now() }, report)
  }
}

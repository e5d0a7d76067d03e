/**
 * The hub's protocol as data: what stands in each message of either direction, with the wire's own spelling, the literal error
 * texts and the numbers that both sides must agree on. No I/O; docs/HUB-PROTOCOL.md says who sends what and when.
 */

import type { JsonSchema, JsonValue } from "../tool/toolSpec.ts"

/** A call that its remote has not answered by then fails (docs/HUB-PROTOCOL.md, "Calls"; `REMOTE_CALL_TIMEOUT` of the hub it describes). */
export const REMOTE_CALL_TIMEOUT_MS = 30_000

/** A socket that has not authenticated by then is closed (docs/HUB-PROTOCOL.md, "Authenticating"). */
export const AUTHENTICATE_TIMEOUT_MS = 10_000

/** No message of either side is larger, in bytes of UTF-8 (docs/HUB-PROTOCOL.md, "Limits"). */
export const MAX_MESSAGE_BYTES: number = 1024 * 1024

/** Functions of one remote (docs/HUB-PROTOCOL.md, "Limits"): models choose badly long before this many. */
export const MAX_FUNCTIONS = 128

/** How deep arrays and objects of a message may nest: writing deeper ones back as JSON would overflow the stack. */
export const MAX_MESSAGE_DEPTH = 128

/** Who opens the session. */
export type Credentials = { readonly token: string } | { readonly username: string; readonly password: string }

/** One function of a remote: the shape that tools and the entries of a list share. */
export interface RemoteFunction {
  readonly name: string
  readonly description: string
  /** Schema of the arguments, as models' function calling takes it. */
  readonly parameters: JsonSchema
}

/** One entry of `remote-list`: one function. Our addition: which remote it is of. */
export interface RemoteListEntry extends RemoteFunction {
  readonly remotename?: string | undefined
}

/** An entry of `options.remotes`: every function of the remote becomes one tool of the run, named prefix + function. */
export type RemoteChoice = string | { readonly name: string; readonly prefix?: string | undefined }

/** What a prompt's options hold; all of it becomes part of the run's input. */
export interface PromptOptions {
  readonly remotes?: readonly RemoteChoice[] | undefined
  readonly [key: string]: unknown
}

export interface PromptBody {
  readonly agentId: string | number
  readonly instruction: string
  readonly options?: PromptOptions | undefined
}

/** Every action that is replied to: what a session sends as `body`, and what it gets beside the `nonce` when all went well. */
export interface HubRequests {
  readonly authenticate: { readonly body: Credentials; readonly reply: { readonly message: "authenticated" } }
  readonly "remote-connect": {
    /** `instance` is our addition: the same one on a newer socket takes its name over. */
    readonly body: { readonly remotename: string; readonly tools: readonly RemoteFunction[]; readonly instance?: string }
    readonly reply: { readonly message: "remote connected"; readonly remotename: string }
  }
  /** Our addition. */
  readonly "remote-update": {
    readonly body: { readonly remotename: string; readonly tools: readonly RemoteFunction[] }
    readonly reply: { readonly message: "remote updated"; readonly remotename: string }
  }
  readonly "remote-disconnect": {
    readonly body: { readonly remotename: string }
    readonly reply: { readonly message: "remote disconnected"; readonly remotename: string }
  }
  readonly "remote-list": { readonly body: undefined; readonly reply: { readonly remotes: readonly RemoteListEntry[] } }
  readonly "remote-call": {
    readonly body: { readonly remotename: string; readonly function: string; readonly args: unknown }
    readonly reply: { readonly result: JsonValue }
  }
  readonly "send-agent-prompt": { readonly body: PromptBody; readonly reply: { readonly result: JsonValue } }
}

export type HubAction = keyof HubRequests
export type HubReply<Action extends HubAction> = HubRequests[Action]["reply"]

/** An action in its envelope. */
export interface HubRequest<Action extends HubAction = HubAction> {
  readonly action: Action
  readonly nonce: string
  readonly body?: HubRequests[Action]["body"]
}

/** How the serving session answers a call: at the top level, and not replied to. */
export type RemoteCallResult = { readonly action: "remote-call-result"; readonly requestId: string } & (
  | { readonly result: JsonValue }
  | { readonly error: string }
)

/** A call on its way to the session that serves the remote. */
export interface RemoteCallMessage {
  readonly action: "remote-call"
  /** `<remotename>#<n>` */
  readonly requestId: string
  readonly function: string
  readonly args: unknown
}

/** What the hub tells every session of the user. `remote-connected` and `remote-updated` are our additions. */
export interface HubEvent {
  readonly action: string
  readonly remotename?: string | undefined
}

/** The events that tell of remotes; others may come. */
export const REMOTE_EVENTS: { readonly connected: string; readonly updated: string; readonly disconnected: string } = {
  connected: "remote-connected",
  updated: "remote-updated",
  disconnected: "remote-disconnected",
}

export const requestIdOf = (remotename: string, count: number): string => `${remotename}#${count}`

/** The first two are the protocol's, to the letter; the others are ours. */
export const errorText = {
  alreadyConnected: (remotename: string): string => `remote '${remotename}' is already connected`,
  notConnected: (remotename: string): string => `no connected remote named '${remotename}'`,
  noFunction: (remotename: string, name: string): string => `remote '${remotename}' has no function '${name}'`,
  timedOut: (remotename: string): string => `remote '${remotename}' did not answer within ${REMOTE_CALL_TIMEOUT_MS / 1000} s`,
  disconnected: (remotename: string): string => `remote '${remotename}' disconnected before it answered`,
  unknownAction: (action: string): string => `unknown action '${action}'`,
} as const

/** What came from the hub: a union on `type`. */
export type HubMessage =
  | { readonly type: "call"; readonly remotename: string; readonly call: RemoteCallMessage }
  | { readonly type: "reply"; readonly nonce: string; readonly error: string | undefined; readonly reply: Readonly<Record<string, unknown>> }
  | { readonly type: "event"; readonly event: HubEvent }
  /** A frame of ours that the hub could not read, or not tell whose it was. */
  | { readonly type: "complaint"; readonly error: string }

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** Pure: reads one text frame of the hub. @throws Error saying what is wrong with it */
export function readHubMessage(text: string): HubMessage {
  const message = JSON.parse(text) as Readonly<Record<string, unknown>> | null
  if (typeof message !== "object" || message === null || Array.isArray(message)) throw new TypeError("a message must be a JSON object")
  const { action, nonce, error, requestId, remotename } = message
  if (action === "remote-call") {
    if (typeof requestId !== "string" || typeof message.function !== "string") throw new TypeError("a remote-call needs requestId and function")
    return {
      type: "call",
      remotename: requestId.slice(0, Math.max(0, requestId.lastIndexOf("#"))),
      call: { action, requestId, function: message.function, args: message.args ?? {} },
    }
  }
  if (typeof nonce === "string") return { type: "reply", nonce, error: error == null ? undefined : textOf(error), reply: message }
  if (typeof action === "string") {
    return { type: "event", event: typeof remotename === "string" || remotename === undefined ? (message as unknown as HubEvent) : { action } }
  }
  if (error != null) return { type: "complaint", error: textOf(error) }
  throw new TypeError("a message needs an action, a nonce or an error")
}

import { errorText } from "./messages.ts"

/**
 * Why something about a remote failed:
 * - `not_connected`: no remote of that name is connected.
 * - `already_connected`: another session serves a remote of that name.
 * - `no_function`: the remote has no function of that name.
 * - `disconnected`: the remote went away before it answered; it may have run.
 * - `timeout`: no answer came in time; it may have run.
 * - `failed`: the remote, or the agent that was prompted, answered with an error; the message is its text.
 * - `connection_lost`: the socket was lost before the reply came, or is not open; what was asked may have been done.
 * - `too_large`: a message would be larger than the hub takes; nothing was sent.
 * - `settled`: the call that was answered waits for no answer any more.
 * - `aborted`: the caller's signal aborted; `cause` is its reason.
 * - `invalid_request`: what was asked is nothing that could be asked, as of a remote whose name is no string; nothing was sent.
 * - `closed`: the hub client was closed by this page, or failed for good.
 */
export type RemoteErrorCode =
  | "not_connected"
  | "already_connected"
  | "no_function"
  | "disconnected"
  | "timeout"
  | "failed"
  | "connection_lost"
  | "too_large"
  | "settled"
  | "aborted"
  | "invalid_request"
  | "closed"

export interface RemoteErrorOptions {
  readonly cause?: unknown
  readonly remotename?: string | undefined
}

/** Every failure of a remote and of a hub's action; `code` says which. */
export class RemoteError extends Error {
  override readonly name = "RemoteError"
  readonly code: RemoteErrorCode
  /** Which remote it is about, where it is about one. */
  readonly remotename: string | undefined

  constructor(code: RemoteErrorCode, message: string, { cause, remotename }: RemoteErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.remotename = remotename
  }
}

/** The error of an error reply: a text that the protocol knows has a code of its own. */
export function errorOfReply(text: string, remotename = "", name = ""): RemoteError {
  const known: readonly (readonly [RemoteErrorCode, string])[] = [
    ["already_connected", errorText.alreadyConnected(remotename)],
    ["not_connected", errorText.notConnected(remotename)],
    ["no_function", errorText.noFunction(remotename, name)],
    ["timeout", errorText.timedOut(remotename)],
    ["disconnected", errorText.disconnected(remotename)],
  ]
  const [code = "failed" as const] = known.find(([, literal]) => literal === text) ?? []
  return new RemoteError(code, text, remotename ? { remotename } : {})
}

/** Whatever was thrown as a RemoteError. */
export const asRemoteError = (thrown: unknown, remotename?: string): RemoteError =>
  thrown instanceof RemoteError
    ? thrown
    : new RemoteError("failed", thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown, remotename })

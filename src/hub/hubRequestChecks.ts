import type { PromptBody } from "./messages.ts"
import { RemoteError } from "./remoteError.ts"

/** Shows what was given in its place, without going into it. */
const shown = (value: unknown): string => (typeof value === "string" ? JSON.stringify(value) : value === null ? "null" : `a value of the type ${typeof value}`)

const refuse = (method: string, wanted: string, given: unknown): RemoteError =>
  new RemoteError("invalid_request", `hub.${method} needs ${wanted}, not ${shown(given)}; nothing was sent.`)

function checkText(method: string, what: string, value: unknown): void {
  if (typeof value !== "string" || value === "") throw refuse(method, `${what}, a non-empty string`, value)
}

/** Gives the options' signal. @throws RemoteError `invalid_request` */
export function signalOf(method: string, options: { readonly signal?: AbortSignal | undefined } | undefined): AbortSignal | undefined {
  if (options === undefined) return undefined
  if (typeof options !== "object" || options === null) throw refuse(method, "an object such as { signal } as its options, or none", options)
  const { signal } = options
  // Whatever realm it is of.
  if (signal !== undefined && typeof (signal as Partial<AbortSignal> | null)?.addEventListener !== "function") {
    throw refuse(method, "an AbortSignal as options.signal, or none", signal)
  }
  return signal
}

/** @throws RemoteError `invalid_request` */
export function checkCall(remotename: string, name: string): void {
  checkText("call", "the name of a remote first", remotename)
  checkText("call", "the name of one of the remote's functions second", name)
}

/** @throws RemoteError `invalid_request` */
export function checkPrompt(prompt: PromptBody): void {
  if (typeof prompt !== "object" || prompt === null) throw refuse("prompt", "{ agentId, instruction }", prompt)
  const { agentId, instruction, options } = prompt
  if (typeof agentId !== "number") checkText("prompt", "an agentId, a number or", agentId)
  if (typeof instruction !== "string") throw refuse("prompt", "an instruction, a string", instruction)
  if (options !== undefined && (typeof options !== "object" || options === null)) throw refuse("prompt", "an object as its options, or none", options)
}

/** @throws RemoteError `invalid_request` */
export function checkListener(listener: unknown): void {
  if (typeof listener !== "function") throw refuse("onEvent", "a function that hears the events", listener)
}

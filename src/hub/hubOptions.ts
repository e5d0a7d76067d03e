import { parseUrl } from "../lib/parseUrl.ts"
import type { Credentials } from "./messages.ts"

/**
 * What opens the session; asked for before each connection where it is a function. One that throws is asked again; a `SessionError`
 * `unauthorized` (or any error with that `code`) is final.
 */
export type HubAuth = Credentials | (() => Credentials | Promise<Credentials>)

/** As a `fetch` or a `WebSocket` takes them; `socketUrl` makes the one of the other. */
const SCHEMES: readonly string[] = ["ws:", "wss:", "http:", "https:"]

/** A relative url is checked against some page: which one it will be is known when it connects. */
const SOME_PAGE = "http://page.invalid/"

const isText = (value: unknown): boolean => typeof value === "string" && value !== ""

function problemOfUrl(url: unknown): string | undefined {
  const wanted = "write it like wss://hub.example.com/ws, or /ws for the page's own origin"
  if (!isText(url)) return `needs a url, where the hub's sockets are: ${wanted}.`
  const parsed = parseUrl(url as string, SOME_PAGE)
  if (!parsed) return `cannot read the url "${String(url)}": ${wanted}.`
  const { protocol, hash } = parsed
  if (!SCHEMES.includes(protocol)) return `cannot connect to "${String(url)}", whose scheme is "${protocol}": ${wanted}.`
  return hash ? `cannot connect to "${String(url)}": a WebSocket's url has no "#".` : undefined
}

/** Whether these open a session; what a function gives is looked at when it has given it. */
export const isCredentials = (value: unknown): boolean => {
  const { token, username, password } = (value ?? {}) as { token?: unknown; username?: unknown; password?: unknown }
  return token === undefined ? isText(username) && typeof password === "string" : isText(token)
}

/** Says of credentials that they are none, without showing them. */
export const CREDENTIALS_WANTED = "{ token } or { username, password }, each a string"

/** @throws TypeError which says what is wrong with the options, and what is right */
export function checkHubOptions(options: { readonly url: unknown; readonly auth: HubAuth; readonly WebSocket?: unknown; readonly onError?: unknown }): void {
  const { url, auth, WebSocket, onError } = options ?? {}
  const problem =
    problemOfUrl(url) ??
    (typeof auth === "function" || isCredentials(auth) ? undefined : `needs auth: ${CREDENTIALS_WANTED}, or a function that gives them.`) ??
    (WebSocket === undefined || typeof WebSocket === "function" ? undefined : "needs a class as WebSocket, such as that of the package ws, or none.") ??
    (onError === undefined || typeof onError === "function" ? undefined : "needs a function as onError, or none.")
  if (problem) throw new TypeError(`createHubClient ${problem}`)
}

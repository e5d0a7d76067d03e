import { parseUrl } from "../lib/parseUrl.ts"

const WANTED = "write it like https://api.example or http://localhost:3000, or /api for the page's own origin"

/** Of the page's own origin: relative ones are those that begin as a path does, so that a mistyped host is none. */
const isRelative = (baseUrl: string): boolean => baseUrl === "" || /^\.{0,2}\//.test(baseUrl)

/** What a relative URL is relative to; undefined where there is no page. */
const pageUrl = (): string | undefined => globalThis.document?.baseURI ?? globalThis.location?.href

/** Whether a request to this URL can be sent from here. */
export const canSendTo = (url: string): boolean => parseUrl(url, pageUrl()) !== undefined

/**
 * Pure: what is wrong with a host's URL, undefined for nothing.
 *
 * @param hasOwnFetch - Whether a `fetch` of the user's own sends, which may know other schemes.
 */
export function problemOfBaseUrl(baseUrl: unknown, hasOwnFetch: boolean): string | undefined {
  if (typeof baseUrl !== "string") return `needs a baseUrl, where the host is: ${WANTED}.`
  if (/[?#]/.test(baseUrl)) return `cannot put a path behind the baseUrl "${baseUrl}", which has a "?" or a "#": ${WANTED}.`
  if (isRelative(baseUrl)) return undefined
  const url = parseUrl(baseUrl)
  if (!url) return `cannot read the baseUrl "${baseUrl}": ${WANTED}.`
  const { protocol, username, password } = url
  if (hasOwnFetch) return undefined
  if (!["http:", "https:"].includes(protocol)) return `cannot send to the baseUrl "${baseUrl}", whose scheme is "${protocol}": ${WANTED}.`
  // Not shown: it is a secret.
  return username || password ? "cannot send to a baseUrl with a user name or a password in it; give them in headers, as authorization." : undefined
}

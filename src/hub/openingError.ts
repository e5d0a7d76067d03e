import { SessionError } from "../wire/sessionError.ts"

/** How a server answered what should have become a WebSocket. */
export interface UpgradeAnswer {
  /** HTTP status. */
  readonly status: number
  /** What it says itself, where that is a short plain text. */
  readonly text?: string | undefined
  /** Where it redirects to. */
  readonly location?: string | undefined
  readonly retryAfterMs?: number | undefined
}

/** What is known of a WebSocket that did not open: of a platform that does not say why, what a plain request of the same address shows. */
export type OpeningFailure =
  | { readonly type: "answered"; readonly answer: UpgradeAnswer }
  | { readonly type: "told"; readonly message: string }
  | { readonly type: "offline" }
  | { readonly type: "was open before" }
  /** `status` where it may be read: by no page of another origin. */
  | { readonly type: "server there"; readonly status: number | undefined }
  | { readonly type: "nobody there" }

const WRONG_PATH =
  "Likely the path of the url is not the one that the hub listens at (/ws, where hub.attach was given no other), or a proxy in front does not pass WebSocket upgrades on."

/** What to look at first, by status (RFC 9110 §15). */
function likelyCause({ status, location }: UpgradeAnswer): string {
  if (status >= 300 && status < 400) return `It redirects${location === undefined ? "" : ` to ${location}`}, which no WebSocket follows: likely a login page in front, or the hub has that url now.`
  if (status === 401 || status === 407) return "Likely a proxy in front wants a login of its own: what `auth` gives is sent only when the WebSocket is open."
  if (status === 403) return "Likely the hub does not list this page's origin or this host (allowedOrigins and allowedHosts of createHubServer), or a proxy in front refuses it."
  if (status >= 500 || status === 429) return "Likely the hub's server is down or overloaded, or a proxy in front does not reach it."
  return WRONG_PATH
}

function sentences(failure: OpeningFailure): string {
  switch (failure.type) {
    case "answered": {
      const { status, text } = failure.answer
      return `: the server answered ${status}${text ? ` "${text}"` : ""} in place of 101. ${likelyCause(failure.answer)}`
    }
    case "told":
      return `: ${failure.message}. Likely the host or port of the url is wrong, or the server is down.`
    case "offline":
      return ": this machine is offline."
    case "was open before":
      return ". It was open before, so likely the hub's server is down, or out of this machine's reach."
    case "server there": {
      const { status } = failure
      if (status === undefined) return `, and the platform does not say why. A server answers there. ${WRONG_PATH} Or the hub does not list this page's origin (allowedOrigins of createHubServer).`
      return `, and the platform does not say why. A plain request of the same address is answered ${status === 0 ? "by a redirect" : status}. ${likelyCause({ status: status || 302 })}`
    }
    case "nobody there":
      return ", and nobody answers a plain request of the same address. Likely its host or port is wrong, the server is down, or the page's Content-Security-Policy (connect-src) forbids it."
    default:
      return failure satisfies never
  }
}

/** The address without what may be secret in it. */
function shown(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname}`
}

/** Pure: why a WebSocket did not open, and what to look at first. Retried: what is wrong may be put right while the page is open. */
export function openingError(url: string, failure: OpeningFailure, cause?: unknown): SessionError {
  const { status, retryAfterMs } = failure.type === "answered" ? failure.answer : { status: undefined, retryAfterMs: undefined }
  return new SessionError(status === undefined ? "network" : "unavailable", `The WebSocket to the hub at ${shown(url)} did not open${sentences(failure)}`, {
    cause,
    status,
    retryAfterMs,
  })
}

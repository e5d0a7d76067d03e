/**
 * A request as the session server's routes see it, however it came: as a web-standard `Request` (`webExchange.ts`), or straight from
 * `node:http` (`nodeExchange.ts`), where making web objects of it would cost more than all that is done with it.
 */
import type { SessionServerLimits } from "./serverLimits.ts"
import { SessionServerError } from "./sessionServerError.ts"

/** What says who asks, and for what. A `Request` is one. */
export interface RequestHead {
  readonly method: string
  /** Absolute. */
  readonly url: string
  readonly headers: {
    /** By its name in small letters; several of one name are joined by a comma. */
    get(name: string): string | null
    has(name: string): boolean
  }
}

export type BodyLimits = Pick<SessionServerLimits, "maxBodyBytes" | "maxJsonDepth">

export interface ServerRequest extends RequestHead {
  /** The URL's path. */
  readonly path: string
  readonly query: URLSearchParams
  /**
   * The body, once.
   * @throws SessionServerError 413 `body_too_large`, 400 where the sender went away in the middle
   */
  readText(limits: BodyLimits): Promise<string>
  /** Calls back once if whoever asked goes away before the answer; the returned function takes that off again. */
  onGone(listener: () => void): () => void
  /** The same without its body, for those who know only web-standard requests. */
  withoutBody(signal: AbortSignal): Request
  /** The request as it came, with its body, where it came as one: endpoints of other protocols take nothing else. */
  readonly web: Request | undefined
}

export const bodyTooLarge = ({ maxBodyBytes }: BodyLimits): SessionServerError =>
  new SessionServerError(413, "body_too_large", `The request's body is larger than ${maxBodyBytes} bytes. Send less.`)

/** A sender that goes away in the middle is no failure of ours. */
export const bodyCutShort = (cause: unknown): SessionServerError =>
  new SessionServerError(400, "invalid_request", "The body is incomplete.", { cause })

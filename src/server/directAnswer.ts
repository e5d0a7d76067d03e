import type { Reply } from "./reply.ts"
import type { ServerRequest } from "./serverRequest.ts"

/** The way past web-standard objects, for those who have none. */
export interface DirectAnswer {
  /** Whether what is at this path can be answered so; endpoints of other protocols know only web-standard requests. */
  takes(path: string): boolean
  /** Says the same as the handler does. Never rejects. */
  answer(request: ServerRequest): Promise<Reply>
  /** Hears why an answer could not be sent. */
  report(error: unknown): void
}

const DIRECT = Symbol("direct answer")

type Fetch = (request: Request) => Promise<Response>

interface Held {
  readonly fetch: Fetch
  readonly direct: DirectAnswer
}

/**
 * Says of a web-standard handler how it answers without web objects. It stands on the function itself and names it, so that whoever puts a handler
 * of their own around it is not passed by: neither a new function that takes over all that stands on the old one, nor a `Proxy`.
 */
export const withDirectAnswer = (fetch: Fetch, direct: DirectAnswer | undefined): Fetch =>
  direct ? Object.assign(fetch, { [DIRECT]: { fetch, direct } satisfies Held }) : fetch

export function directAnswerOf(fetch: Fetch & { readonly [DIRECT]?: Held }): DirectAnswer | undefined {
  const held = fetch[DIRECT]
  return held?.fetch === fetch ? held.direct : undefined
}

import type { Reply } from "./reply.ts"
import type { ServerRequest } from "./serverRequest.ts"

/** The way past web-standard objects, for those who have none. */
export interface DirectAnswer {
  /** Whether what is at this path can be answered so; endpoints of other protocols know only web-standard requests. */
  takes(path: string): boolean
  /** Says the same as the handler does. Never rejects. */
  answer(request: ServerRequest): Promise<Reply>
}

const DIRECT = Symbol("direct answer")

type Fetch = (request: Request) => Promise<Response>

/**
 * Says of a web-standard handler how it answers without web objects. It stands on the function itself, so that whoever puts a handler of their own
 * around it is not passed by.
 */
export const withDirectAnswer = (fetch: Fetch, direct: DirectAnswer | undefined): Fetch => (direct ? Object.assign(fetch, { [DIRECT]: direct }) : fetch)

export const directAnswerOf = (fetch: Fetch & { readonly [DIRECT]?: DirectAnswer }): DirectAnswer | undefined => fetch[DIRECT]

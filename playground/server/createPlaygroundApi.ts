import type { SessionServer } from "../../src/server/index.ts"
import type { ActionHost } from "../../src/action/actionHost.ts"
import type { Chat } from "./chat/createChat.ts"
import { isForeign } from "./isForeign.ts"

export interface PlaygroundApiOptions {
  readonly sessions: Pick<SessionServer, "fetch">
  readonly actions: ActionHost
  /** Added to what comes in under `/playground`; it never leaves the server. */
  readonly apiKey: string
  readonly chat: Chat
  /** Who answers in the chat, for people. */
  readonly modelName: string
  /** What a page shows the hub: this user's, since there is but one. */
  readonly hubToken: string
  /** A page makes a session, or joins one that exists. */
  onSession(sessionId: string, origin: string): void
}

/** The page's back end: a request under `/playground` is the session server's under `/v1`, made with the API key. */
const PREFIX = "/playground/"

/** What the page's back end does for it at the session server; each pattern names a session, if it has one. */
const ALLOWED: readonly (readonly [method: string, path: RegExp])[] = [
  ["POST", /^sessions$/],
  ["POST", /^sessions\/(?<session>[^/]+)\/tokens$/],
  ["GET", /^sessions\/(?<session>[^/]+)\/tools$/],
  ["POST", /^sessions\/(?<session>[^/]+)\/tool-calls$/],
  ["GET", /^sessions\/(?<session>[^/]+)\/tool-calls\/[^/]+$/],
  ["POST", /^sessions\/(?<session>[^/]+)\/tool-calls\/[^/]+\/cancel$/],
]

/** The action host's. */
const ACTIONS_PREFIX = "/api/client/"

/** Whether a path is one that is answered here, and none of the page's files. */
export const isApiPath = (path: string): boolean => ["/v1/", PREFIX, ACTIONS_PREFIX].some((prefix) => path.startsWith(prefix))

const refuse = (status: number, code: string, message: string): Response => Response.json({ error: { code, message } }, { status })

/**
 * The session server under `/v1`, for the page's library and for agents that have the API key, the actions' host under `/api/client`, and the
 * page's own back end under `/playground`. `Origin` is passed on, so the session server refuses what comes from pages of other origins.
 */
export function createPlaygroundApi({ sessions, actions, apiKey, chat, modelName, hubToken, onSession }: PlaygroundApiOptions) {
  async function atSessionServer(request: Request, url: URL, path: string): Promise<Response> {
    const match = ALLOWED.map(([method, pattern]) => (method === request.method ? pattern.exec(path) : null)).find(Boolean)
    if (!match) return refuse(404, "not_found", `Nothing is at ${request.method} ${url.pathname}.`)
    const headers = new Headers(request.headers)
    headers.set("authorization", `Bearer ${apiKey}`)
    const response = await sessions.fetch(
      new Request(new URL(`/v1/${path}${url.search}`, url), {
        method: request.method,
        headers,
        signal: request.signal,
        ...(request.body && { body: request.body, duplex: "half" }),
      }),
    )
    if (response.status === 201) {
      const created = (await response.clone().json()) as { readonly id?: string }
      const sessionId = match.groups?.["session"] ?? created.id
      if (sessionId !== undefined) onSession(sessionId, url.origin)
    }
    return response
  }

  function asBackEnd(request: Request, url: URL): Promise<Response> | Response {
    const path = url.pathname.slice(PREFIX.length)
    const route = `${request.method} ${path}`
    const chatOf = /^POST sessions\/([^/]+)\/chat$/.exec(route)?.[1]
    if (chatOf === undefined && route !== "POST hub/tokens" && route !== "GET chat") return atSessionServer(request, url, path)
    if (isForeign(request)) return refuse(403, "forbidden", "Pages of other origins are not let in.")
    if (chatOf !== undefined) return chat.answer(chatOf, request)
    return route === "GET chat" ? Response.json({ model: modelName }) : Response.json({ token: hubToken }, { status: 201 })
  }

  return {
    async fetch(request: Request): Promise<Response> {
      const url = new URL(request.url)
      if (url.pathname.startsWith(ACTIONS_PREFIX)) return actions.fetch(request)
      return url.pathname.startsWith(PREFIX) ? asBackEnd(request, url) : sessions.fetch(request)
    },
  }
}

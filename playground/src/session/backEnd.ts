import type { GetToken } from "react-tool-client"
import { requestJson } from "./requestJson.ts"

/** The page's own back end, which makes sessions and gives tokens for them. It has the API key; the page never does. */
export interface BackEnd {
  /** The session that the page's address names, or a new one, which the address names from then on: a reload and a second tab join it. */
  joinSession(): Promise<string>
  /** For `createSessionClient`. */
  getToken: GetToken
}

interface NewSession {
  readonly id: string
  readonly token: string
}

const PARAMETER = "session"

export function createBackEnd(baseUrl = "/playground"): BackEnd {
  let joining: Promise<string> | undefined
  let first: NewSession | undefined

  async function join(): Promise<string> {
    const url = new URL(location.href)
    const known = url.searchParams.get(PARAMETER)
    if (known) return known
    first = await requestJson<NewSession>(`${baseUrl}/sessions`, { method: "POST" })
    url.searchParams.set(PARAMETER, first.id)
    history.replaceState(null, "", url)
    return first.id
  }

  return {
    // One for all who ask, since React's StrictMode asks twice; a failure may be tried again.
    joinSession: () =>
      (joining ??= join().catch((error: unknown) => {
        joining = undefined
        throw error
      })),
    async getToken(sessionId) {
      const given = first
      first = undefined
      if (given?.id === sessionId) return given.token
      const { token } = await requestJson<{ token: string }>(`${baseUrl}/sessions/${encodeURIComponent(sessionId)}/tokens`, {
        method: "POST",
      })
      return token
    },
  }
}

import { createSessionClient } from "react-tool-client/client"

export interface ConnectOptions {
  readonly baseUrl: string
  readonly sessionId: string
  readonly token: string
  /** `fetch` for the stream as well, where the library would take a WebSocket. */
  readonly isFetchOnly: boolean
}

export interface OtherOrigin {
  /** Opens the session and offers `add`. */
  connect(options: ConnectOptions): void
  /** How things are: the session's status and the tool client's. */
  status(): string
  /** What went wrong in the background. */
  readonly problems: string[]
}

declare global {
  var otherOrigin: OtherOrigin
}

const problems: string[] = []
let status = (): string => "not connected"

globalThis.otherOrigin = {
  problems,
  status: () => status(),
  connect({ baseUrl, sessionId, token, isFetchOnly }) {
    const client = createSessionClient({
      baseUrl,
      getToken: () => token,
      ...(isFetchOnly && { fetch: (input: RequestInfo | URL, init?: RequestInit) => fetch(input, init) }),
    })
    const session = client.open(sessionId, { onError: (error) => problems.push(String(error)) })
    const tools = session.createToolClient("web")
    tools.addTool("add", {
      description: "Adds two numbers.",
      parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
      execute: ({ a, b }: { a: number; b: number }) => String(a + b),
    })
    status = () => `${session.state.status} ${tools.state.status}`
  },
}

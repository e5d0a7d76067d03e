/** An agent over HTTP, as `curl` is one: it knows the server, the session and the API key. */
export interface Agent {
  /** Names and all, as the model sees them. */
  tools(): Promise<readonly { readonly name: string; readonly description: string; readonly parameters: unknown }[]>
  names(): Promise<readonly string[]>
  /** Calls and waits for the outcome. */
  call(tool: string, args?: unknown): Promise<Outcome>
  /** Calls and does not wait. */
  start(tool: string, args?: unknown): Promise<string>
  join(callId: string): Promise<Outcome>
  cancel(callId: string): Promise<Outcome>
}

export interface Outcome {
  readonly call_id: string
  readonly text: string
  readonly is_error: boolean
}

const WAIT_SECONDS = 20

export function createAgent(baseUrl: string, sessionId: string, apiKey = "dev"): Agent {
  async function send<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    const response = await fetch(`${baseUrl}/v1/sessions/${sessionId}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`)
    return JSON.parse(text) as Body
  }
  const tools: Agent["tools"] = () => send("GET", "/tools")
  const post = (wait: number, tool: string, args: unknown): Promise<Outcome> =>
    send("POST", `/tool-calls?wait=${wait}`, { tool, arguments: args })
  return {
    tools,
    names: async () => (await tools()).map(({ name }) => name),
    call: (tool, args = {}) => post(WAIT_SECONDS, tool, args),
    start: async (tool, args = {}) => (await post(0, tool, args)).call_id,
    join: (callId) => send("GET", `/tool-calls/${callId}?wait=${WAIT_SECONDS}`),
    cancel: (callId) => send("POST", `/tool-calls/${callId}/cancel`),
  }
}

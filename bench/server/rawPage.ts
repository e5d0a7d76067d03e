import { Agent, request, type ClientRequest } from "node:http"

/** Connections for what is not a stream; kept, as a browser does. */
export const agent = new Agent({ keepAlive: true, maxSockets: 128 })

/** Waits until no request is under way, and closes the connections that are kept. */
export async function closeIdle(): Promise<void> {
  while (Object.keys(agent.sockets).length > 0) await new Promise((resolve) => setTimeout(resolve, 20))
  agent.destroy()
}

const KEY = "Bearer bench"

/** Sends JSON, gives JSON, as little as can be between. */
export function post<Result>(url: string, body: unknown, authorization = KEY): Promise<Result> {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body)
    const sent = request(url, { method: "POST", agent, headers: { authorization, "content-type": "application/json", "content-length": Buffer.byteLength(text) } }, (response) => {
      let answer = ""
      response.setEncoding("utf8").on("data", (chunk: string) => (answer += chunk))
      response.on("end", () => {
        const { statusCode = 0 } = response
        if (statusCode >= 300) reject(new Error(`POST ${url} was answered ${statusCode}: ${answer}`))
        else resolve((answer === "" ? undefined : JSON.parse(answer)) as Result)
      })
    })
    sent.on("error", reject)
    sent.end(text)
  })
}

export interface RawPage {
  readonly sessionId: string
  readonly root: string
  close(): void
}

interface Dispatch {
  readonly call_id: string
  readonly arguments: unknown
}

/** A page without a library: one session, its stream, and (with `name`) one tool client that acks and answers what is dispatched to it. */
export async function openRawPage(url: string, name?: string): Promise<RawPage> {
  const { id, token } = await post<{ id: string; token: string }>(`${url}/v1/sessions`, {})
  const root = `${url}/v1/sessions/${id}`
  const authorization = `Bearer ${token}`
  let clientPath = ""

  function onDispatch({ call_id, arguments: args }: Dispatch): void {
    void post(`${clientPath}/acks`, { call_ids: [call_id] }, authorization)
    void post(`${clientPath}/answers`, { call_id, text: JSON.stringify(args), is_error: false }, authorization)
  }

  const stream = await new Promise<ClientRequest>((resolve, reject) => {
    const sent = request(`${root}/events`, { agent: false, headers: { authorization, accept: "text/event-stream" } }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`The stream was answered ${response.statusCode}`))
      let buffer = ""
      response.setEncoding("utf8").on("data", (chunk: string) => {
        buffer += chunk
        for (let end = buffer.indexOf("\n\n"); end >= 0; end = buffer.indexOf("\n\n")) {
          const event = buffer.slice(0, end)
          buffer = buffer.slice(end + 2)
          const data = /^data: ?(.*)$/m.exec(event)?.[1]
          if (event.includes("tool_call.dispatched") && data) onDispatch(JSON.parse(data) as Dispatch)
        }
      })
      response.on("error", () => {})
      resolve(sent)
    })
    sent.on("error", reject)
    sent.end()
  })
  if (name !== undefined) {
    const tools = [{ name: "echo", description: "Echo.", parameters: { type: "object", properties: {} } }]
    const client = await post<{ id: string }>(
      `${root}/tool-clients`,
      { name, instance_id: `${name}-${id}`, load_id: id, lifetime: { type: "never" }, tools },
      authorization,
    )
    clientPath = `${root}/tool-clients/${client.id}`
  }
  return { sessionId: id, root, close: () => void stream.destroy() }
}

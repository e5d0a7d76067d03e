// The same exchange by hand on `node:http`: no checks, no tokens, no deadlines, no redelivery, nothing to resume. What a call costs at least.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface BareServer {
  readonly url: string
  close(): void
}

export async function startBareServer(): Promise<BareServer> {
  const streams = new Map<string, ServerResponse>()
  const waiting = new Map<string, ServerResponse>()
  let calls = 0

  const read = async (request: IncomingMessage): Promise<Record<string, unknown>> => {
    let text = ""
    for await (const chunk of request) text += String(chunk)
    return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>)
  }
  const json = (response: ServerResponse, status: number, body: unknown): void => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
  }

  const server = createServer((request, response) => {
    void (async () => {
      const [, , , sessionId = "", what = "", clientId = "", action = ""] = (request.url ?? "").split(/[/?]/)
      if (request.method === "GET") {
        response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" }).flushHeaders()
        streams.set(sessionId, response)
        return
      }
      const body = await read(request)
      if (sessionId === "") return json(response, 201, { id: `s${++calls}`, token: "none" })
      if (what === "tool-clients" && action === "") return json(response, 201, { id: `c${++calls}`, name: body["name"] })
      if (what === "tool-calls") {
        const callId = `${++calls}`
        waiting.set(callId, response)
        const data = { type: "tool_call.dispatched", call_id: callId, client_id: clientId, tool: "echo", arguments: body["arguments"], deadline_ms: 300_000 }
        streams.get(sessionId)?.write(`event: tool_call.dispatched\ndata: ${JSON.stringify(data)}\n\n`)
        return
      }
      if (action === "answers") {
        const waits = waiting.get(String(body["call_id"]))
        waiting.delete(String(body["call_id"]))
        if (waits) json(waits, 200, body)
      }
      response.writeHead(204).end()
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

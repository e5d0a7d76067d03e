import { createParser } from "eventsource-parser"

/** What a page would write by hand: no retries, no dedupe, no validation, nothing but the requests of the protocol. */
export async function startBareClient(
  baseUrl: string,
  sessionId: string,
  token: string,
  execute: (args: unknown) => string,
): Promise<() => void> {
  const root = `${baseUrl}/v1/sessions/${sessionId}`
  const authorization = `Bearer ${token}`
  const post = (path: string, body: unknown) => {
    const send = () => fetch(root + path, { method: "POST", headers: { authorization, "content-type": "application/json" }, body: JSON.stringify(body) })
    // Once more, for a socket that the server has closed meanwhile: a thousand at once on a busy machine meet one.
    return send().catch(send)
  }

  const controller = new AbortController()
  const response = await fetch(`${root}/events`, { headers: { authorization }, signal: controller.signal })
  const registered = await post("/tool-clients", {
    name: "bare",
    instance_id: crypto.randomUUID(),
    load_id: crypto.randomUUID(),
    lifetime: { type: "never" },
    tools: [{ name: "echo", description: "Echo.", parameters: { type: "object", properties: {} } }],
  })
  const { id } = (await registered.json()) as { id: string }

  async function answer(callId: string, args: unknown): Promise<void> {
    const acked = post(`/tool-clients/${id}/acks`, { call_ids: [callId] })
    const answered = post(`/tool-clients/${id}/answers`, { call_id: callId, text: execute(args), is_error: false })
    await (await acked).text()
    await (await answered).text()
  }

  const parser = createParser({
    onEvent({ event, data }) {
      if (event !== "tool_call.dispatched") return
      const dispatched = JSON.parse(data) as { call_id: string; client_id: string; arguments: unknown }
      if (dispatched.client_id === id) void answer(dispatched.call_id, dispatched.arguments)
    },
  })
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder()
    if (!response.body) return
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      parser.feed(decoder.decode(chunk, { stream: true }))
    }
  }
  read().catch(() => {})
  return () => controller.abort()
}

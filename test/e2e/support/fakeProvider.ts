import { createServer, type IncomingMessage } from "node:http"

/** What the provider's model says at one step: words, or a call of a tool. */
export type ProviderStep = string | { readonly tool: string; readonly arguments: unknown }

/** What it was asked. */
export interface ProviderRequest {
  readonly model: string
  readonly input: readonly unknown[]
  readonly tools: readonly { readonly name: string; readonly parameters: unknown }[]
}

export interface FakeProvider {
  /** For `OPENAI_BASE_URL`. */
  readonly url: string
  readonly requests: readonly ProviderRequest[]
  close(): Promise<void>
}

async function bodyOf(incoming: IncomingMessage): Promise<ProviderRequest> {
  let text = ""
  for await (const chunk of incoming) text += String(chunk)
  return JSON.parse(text) as ProviderRequest
}

function* eventsOf(step: ProviderStep, model: string): Generator<{ readonly type: string; readonly [key: string]: unknown }> {
  yield { type: "response.created", response: { id: "response", created_at: 0, model } }
  if (typeof step === "string") {
    const item = { type: "message", id: "message" }
    yield { type: "response.output_item.added", output_index: 0, item }
    for (const delta of step.split(/(?<= )/)) yield { type: "response.output_text.delta", item_id: item.id, delta }
    yield { type: "response.output_item.done", output_index: 0, item }
  } else {
    const item = { type: "function_call", id: "function-call", call_id: crypto.randomUUID(), name: step.tool }
    const text = JSON.stringify(step.arguments)
    yield { type: "response.output_item.added", output_index: 0, item: { ...item, arguments: "" } }
    yield { type: "response.function_call_arguments.delta", item_id: item.id, output_index: 0, delta: text }
    yield { type: "response.output_item.done", output_index: 0, item: { ...item, arguments: text, status: "completed" } }
  }
  yield { type: "response.completed", response: { usage: { input_tokens: 1, output_tokens: 1 } } }
}

/** A provider of a model over HTTP, as much of one as the chat needs: it takes one key, and says one step after the other. */
export async function serveFakeProvider(apiKey: string, ...steps: readonly ProviderStep[]): Promise<FakeProvider> {
  const requests: ProviderRequest[] = []
  const server = createServer((incoming, outgoing) => {
    void bodyOf(incoming).then((request) => {
      if (incoming.headers.authorization !== `Bearer ${apiKey}`) {
        outgoing.writeHead(401, { "content-type": "application/json" })
        outgoing.end(JSON.stringify({ error: { message: "Incorrect API key provided.", type: "invalid_request_error", code: "invalid_api_key" } }))
        return
      }
      const step = steps[requests.length] ?? "I have nothing more to say."
      requests.push(request)
      outgoing.writeHead(200, { "content-type": "text/event-stream" })
      for (const event of eventsOf(step, request.model)) outgoing.write(`data: ${JSON.stringify(event)}\n\n`)
      outgoing.end("data: [DONE]\n\n")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("The provider listens nowhere.")
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

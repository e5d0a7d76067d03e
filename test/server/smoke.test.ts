import { expect, test } from "vitest"
import { createSessionServer, serve } from "../../src/server/index.ts"
import { createPage } from "./support/createPage.ts"

test("An agent's call reaches the page over a real socket and comes back with its answer", async () => {
  const server = createSessionServer({ apiKey: "k", secret: "s".repeat(32) })
  const served = await serve(server)
  const { id, token } = await server.createSession()
  const page = createPage({ fetch: (r) => fetch(r), baseUrl: served.url, sessionId: id, token })
  const events = await page.stream()
  expect((await events.next()).type).toBe("session.running")
  const client = await page.register()
  expect(client.status).toBe(201)
  expect(await server.tools(id)).toEqual([{ name: "client__web__add", description: "Does add.", parameters: { type: "object" } }])
  const outcome = server.callTool(id, "client__web__add", { a: 1 })
  const call = await events.nextOf("tool_call.dispatched")
  expect(call.arguments).toEqual({ a: 1 })
  expect((await page.ack(client.body.id, call.call_id)).status).toBe(204)
  expect((await page.answer(client.body.id, call.call_id)).status).toBe(204)
  expect(await outcome).toEqual({ call_id: call.call_id, text: "done", is_error: false })
  await server.close()
  expect(await events.ended).toBeUndefined()
  await served.close()
})

import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { createPage } from "../server/support/createPage.ts"
import { createConsumer } from "./support/createConsumer.ts"
import { startProgram } from "./support/startProgram.ts"

const API_KEY = "key-of-the-agent"
const ENV = { API_KEY, SESSION_SECRET: "a secret of thirty-two bytes, at least", PORT: "0", NODE_ENV: "production" }
const EXAMPLES = [
  ["node-http", []],
  ["express", ["express"]],
  ["hono", []],
] as const

/** The first message over the stream's WebSocket: the status that it would have had over HTTP. */
const socketStatus = (url: string, token: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace("http", "ws"))
    socket.on("open", () => socket.send(JSON.stringify({ token })))
    socket.on("error", reject)
    socket.once("message", (head: Buffer) => {
      resolve((JSON.parse(head.toString()) as { status: number }).status)
      socket.close()
    })
  })

describe.each(EXAMPLES)("examples/%s", (name, packages) => {
  let folder: string
  beforeAll(() => {
    folder = createConsumer({ packages, files: [`examples/${name}`] })
  })

  async function start() {
    const program = startProgram(join(folder, `examples/${name}/server.js`), { env: ENV })
    const [, url = ""] = await program.printed(/Listening at (\S+)/)
    const created = await fetch(`${url}/session`, { method: "POST" })
    const { id: sessionId, token } = (await created.json()) as { id: string; token: string }
    // As a browser asks: what compresses would have its chance.
    const headers = { "accept-encoding": "gzip, deflate, br" }
    const page = createPage({ fetch, baseUrl: url, sessionId, token, headers })
    const call = (body: string, more: Record<string, string> = {}) =>
      fetch(`${url}/v1/sessions/${sessionId}/tool-calls?wait=30`, {
        method: "POST",
        headers: { "authorization": `Bearer ${API_KEY}`, "content-type": "application/json", ...more },
        body,
      })
    return { program, url, page, call, sessionId, token }
  }

  it("brings a call to a page and its answer back, streamed and not gathered, with the body as it was sent", async () => {
    const { page, call } = await start()
    const events = await page.stream()
    expect(events.response.headers.get("content-encoding")).toBeNull()
    // It has come while the stream goes on: nothing in between waits for more.
    await events.nextOf("session.running")
    const { status, body: client } = await page.register({ tools: [{ name: "add", description: "x".repeat(5_000), parameters: { type: "object" } }] })
    expect(status).toBe(201)
    await events.nextOf("tool_client.registered")
    const args = '{"text":"Grüße 🎈","__proto__":{"a":1}}'
    const answered = call(`{"tool":"client__web__add","arguments":${args}}`)
    const dispatched = await events.nextOf("tool_call.dispatched")
    expect(JSON.stringify(dispatched.arguments)).toBe(args)
    await page.ack(client.id, dispatched.call_id)
    await page.answer(client.id, dispatched.call_id, { text: "été 🎈" })
    expect(await (await answered).json()).toMatchObject({ text: "été 🎈", is_error: false })
    await events.cancel()
  })

  it("offers the stream over WebSocket too", async () => {
    const { page, url, sessionId, token } = await start()
    const events = await page.stream()
    expect(events.response.headers.get("event-sockets")).toBe("?1")
    await events.cancel()
    expect(await socketStatus(`${url}/v1/sessions/${sessionId}/events`, token)).toBe(200)
  })

  it("refuses what is addressed elsewhere, and has routes of its own", async () => {
    const { url, call } = await start()
    expect((await fetch(`${url}/elsewhere`)).status).toBe(404)
    const refused = await call("{}", { origin: "https://evil.example" })
    expect([refused.status, await refused.json()]).toMatchObject([403, { error: { code: "origin_not_allowed" } }])
    expect((await call("not JSON")).status).toBe(400)
  })

  it("told to stop, lets the call that is under way be answered, and exits with code 0", async () => {
    const { page, call, program } = await start()
    const events = await page.stream()
    const { body: client } = await page.register()
    const answered = call('{"tool":"client__web__add"}')
    const { call_id } = await events.nextOf("tool_call.dispatched")
    program.signal("SIGTERM")
    expect((await page.answer(client.id, call_id)).status).toBe(204)
    expect(await (await answered).json()).toMatchObject({ text: "done" })
    expect(await events.ended).toBeUndefined()
    expect(await program.ended).toMatchObject({ code: 0 })
  })
})

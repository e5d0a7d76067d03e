// `react-tool-client serve --redis`: what one process has begun, another ends.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeAll, expect, onTestFinished, test } from "vitest"
import { startProgram } from "../examples/support/startProgram.ts"
import { createPage } from "../server/support/createPage.ts"
import { describeWithRedis, type RunningRedis, startRedis } from "./support/startRedis.ts"
import { until } from "./support/until.ts"

const API_KEY = "key-of-the-agent"
const MAIN = new URL("../../src/cli/main.ts", import.meta.url).pathname

describeWithRedis("react-tool-client serve --redis", () => {
  let redis: RunningRedis
  beforeAll(async () => {
    redis = await startRedis()
  })

  async function startServer(folder: string, ...more: string[]) {
    const args = ["--import", import.meta.resolve("tsx"), MAIN, "serve", "--port", "0", "--api-key-file", "key", "--secret-file", "secret", "--redis", redis.url, ...more]
    const [first = "", ...rest] = args
    const program = startProgram(first, { args: rest, cwd: folder })
    const [, url = ""] = await program.printed(/"url":"([^"]+)"/)
    return { program, url }
  }

  test("hands a call that is under way on to another process when it is told to stop", async () => {
    const folder = mkdtempSync(join(tmpdir(), "serve-"))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, "key"), API_KEY)
    writeFileSync(join(folder, "secret"), "a secret of thirty-two bytes, at least")
    const [one, other] = await Promise.all([startServer(folder, "--grace", "1"), startServer(folder)])
    const headers = { "authorization": `Bearer ${API_KEY}`, "content-type": "application/json", "idempotency-key": "one" }
    const created = await fetch(`${one.url}/v1/sessions`, { method: "POST", headers })
    const { id: sessionId, token } = (await created.json()) as { id: string; token: string }
    const pageAt = (baseUrl: string) => createPage({ fetch, baseUrl, sessionId, token })
    const events = await pageAt(one.url).stream()
    const { body: client } = await pageAt(one.url).register()
    const ask = (url: string) =>
      fetch(`${url}/v1/sessions/${sessionId}/tool-calls?wait=30`, { method: "POST", headers, body: JSON.stringify({ tool: "client__web__add" }) })
    const asked = ask(one.url)
    const call = await events.nextOf("tool_call.dispatched")
    await pageAt(one.url).ack(client.id, call.call_id)

    one.program.signal("SIGTERM")
    const refused = await asked
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"])
    expect(await events.ended).toBeUndefined()
    expect((await one.program.ended).code).toBe(0)

    // The agent repeats its request elsewhere, and the page, which knows the call, answers it there.
    const again = ask(other.url)
    const resumed = await pageAt(other.url).stream()
    expect((await resumed.nextOf("tool_call.dispatched")).call_id).toBe(call.call_id)
    expect((await pageAt(other.url).answer(client.id, call.call_id, { text: "answered elsewhere" })).status).toBe(204)
    expect(await (await again).json()).toEqual({ call_id: call.call_id, text: "answered elsewhere", is_error: false })
    await resumed.cancel()

    expect((await fetch(`${other.url}/readyz`)).status).toBe(200)
    await redis.kill()
    await until(async () => (await fetch(`${other.url}/readyz`)).status === 503)
    expect(await (await fetch(`${other.url}/readyz`)).text()).toContain("no connection to Redis")
    expect((await fetch(`${other.url}/healthz`)).status).toBe(200)
    other.program.signal("SIGTERM")
    expect((await other.program.ended).code).toBe(0)
  })
})

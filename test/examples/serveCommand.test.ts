import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { createConsumer } from "./support/createConsumer.ts"
import { type Program, startProgram } from "./support/startProgram.ts"

const API_KEY = "key-of-the-agent"

describe("the packed command, where neither OpenTelemetry nor Redis' client is installed", () => {
  let folder: string
  beforeAll(() => {
    folder = createConsumer({ files: [] })
    writeFileSync(join(folder, "key"), API_KEY)
    writeFileSync(join(folder, "secret"), "a secret of thirty-two bytes, at least")
  })

  const start = (...args: string[]): Program =>
    startProgram(join(folder, "node_modules/react-tool-client/dist/cli/main.js"), { args: ["serve", "--api-key-file", "key", "--secret-file", "secret", ...args], cwd: folder })

  it("serves, says that it is ready, and stops with code 0", async () => {
    const program = start("--port", "0")
    const [, url = ""] = await program.printed(/"url":"([^"]+)"/)
    expect(await (await fetch(`${url}/readyz`)).text()).toBe("ready\n")
    const created = await fetch(`${url}/v1/sessions`, { method: "POST", headers: { authorization: `Bearer ${API_KEY}` } })
    expect(created.status).toBe(201)
    program.signal("SIGTERM")
    expect(await program.ended).toMatchObject({ code: 0 })
  })

  it("says what to install for Redis", async () => {
    expect(await start("--redis", "redis://127.0.0.1:1").ended).toMatchObject({ code: 1, output: expect.stringContaining("npm install ioredis") })
  })
})

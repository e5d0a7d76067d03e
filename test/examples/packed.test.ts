import react from "@vitejs/plugin-react"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser } from "playwright"
import { build, preview, type PreviewServer } from "vite"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { entries, ROOT } from "../../scripts/lib/entries.mjs"
import { createConsumer } from "./support/createConsumer.ts"
import { openBrowser } from "./support/openBrowser.ts"
import { startProgram } from "./support/startProgram.ts"
import { startSession } from "./support/startSession.ts"

const PROGRAMS = "test/examples/programs"
const APP = "test/examples/viteApp"

describe("the packed library in plain Node", () => {
  it("joins server, client and agent where React is not installed", async () => {
    const folder = createConsumer({ files: [PROGRAMS] })
    const program = startProgram(join(folder, PROGRAMS, "allInOne.js"))
    expect(await program.ended).toMatchObject({ code: 0, output: expect.stringContaining("answered: Hello Ada") })
  })

  describe("with React", () => {
    let folder: string
    beforeAll(() => {
      folder = createConsumer({ packages: ["react", "@tanstack/react-query", "react-dom", "@testing-library/react", "ioredis", "ai", "@modelcontextprotocol/sdk"], files: [PROGRAMS] })
    })

    // Vitest can be imported only where it runs.
    it.each(entries.filter(({ subpath }) => subpath !== "./testing/vitest"))("exports from $specifier what its source exports", async ({ specifier, source }) => {
      const program = startProgram(join(folder, PROGRAMS, "exportedNames.js"), { args: [specifier] })
      const { code, output } = await program.ended
      expect(code, output).toBe(0)
      const written = (await import(/* @vite-ignore */ join(ROOT, source))) as Record<string, unknown>
      expect(JSON.parse(output)).toEqual(Object.fromEntries(Object.entries(written).map(([name, value]) => [name, typeof value])))
    })
  })
})

describe("the packed library in a page that Vite has built", () => {
  let folder: string
  let server: PreviewServer
  let browser: Browser

  beforeAll(async () => {
    folder = join(createConsumer({ packages: ["react", "react-dom"], files: [APP] }), APP)
    // Vite builds for what it finds in the environment, where vitest says "test".
    vi.stubEnv("NODE_ENV", "production")
    await build({ root: folder, configFile: false, logLevel: "warn", plugins: [react()] })
    vi.unstubAllEnvs()
    server = await preview({ root: folder, configFile: false, logLevel: "warn", preview: { host: "127.0.0.1", port: 0 } })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  it("needs nothing of Node", () => {
    const assets = join(folder, "dist/assets")
    const code = readdirSync(assets).map((name) => readFileSync(join(assets, name), "utf8")).join("\n")
    expect(code).toContain("text/event-stream")
    expect(code).not.toMatch(/node:https?|__vite-browser-external/)
  })

  it("answers an agent's call, at a server of another origin", async () => {
    const [url = ""] = server.resolvedUrls?.local ?? []
    const session = await startSession({ allowedOrigins: [new URL(url).origin] })
    const page = await browser.newPage()
    const problems: string[] = []
    page.on("console", (message) => problems.push(message.text()))
    page.on("pageerror", (error) => problems.push(error.message))

    const place = new URLSearchParams({ server: session.url, session: session.id, token: session.env.SESSION_TOKEN })
    await page.goto(`${url}#${place}`)
    await expect.poll(session.toolNames, { timeout: 25_000 }).toEqual(["client__web__set_color"])
    expect(await session.call("client__web__set_color", { color: "blue" })).toMatchObject({ text: "It was red and is blue.", is_error: false })
    expect(await page.locator("output").innerText()).toBe("blue")
    expect(problems).toEqual([])
  })
})

import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build, preview } from "vite"
import { expect, test } from "vitest"
import { createAgent } from "./support/createAgent.ts"
import { launchChromium } from "./support/launchChromium.ts"

test("The built page works too, and holds no key", async () => {
  const root = fileURLToPath(new URL("../../playground", import.meta.url))
  const configFile = join(root, "vite.config.ts")
  const outDir = await mkdtemp(join(tmpdir(), "playground-"))
  const built = await build({ root, configFile, logLevel: "error", build: { outDir, emptyOutDir: true } })
  const chunks = [built].flat().flatMap((result) => ("output" in result ? result.output : []))
  const code = chunks.map((chunk) => (chunk.type === "chunk" ? chunk.code : "")).join("\n")
  expect(code).not.toMatch(/Bearer dev|["'`]dev["'`]/)

  const server = await preview({ root, configFile, logLevel: "error", build: { outDir }, preview: { port: 0, host: "127.0.0.1" } })
  const browser = await launchChromium()
  try {
    const address = server.httpServer.address()
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
    const page = await browser.newPage()
    await page.goto(url)
    await page.getByTestId("tool-client").getByText("serving").waitFor()
    const agent = createAgent(url, await page.getByTestId("session-id").innerText())
    expect(await agent.call("client__web__search_products", { query: "mug" })).toMatchObject({ is_error: false })
    expect(await page.getByRole("list", { name: "Products" }).getByRole("listitem").count()).toBe(1)
  } finally {
    await browser.close()
    await server.close()
    await rm(outDir, { recursive: true })
  }
})

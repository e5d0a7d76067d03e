// A page as an application ships it, bundled for production in parts: what it loads for the browser's own agent, and that an agent which
// comes over the DevTools protocol, as Playwright's does, can call it.
import { build } from "esbuild"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { basename } from "node:path"
import type { Browser, Page } from "playwright"
import { afterAll, beforeAll, expect, test } from "vitest"
import { ROOT, sourceAliases } from "../../scripts/lib/entries.mjs"
import { eventually } from "./support/eventually.ts"
import { launchChromium } from "./support/launchChromium.ts"

const APPLICATION = `
import { createLocalSession, mirrorToModelContext } from "react-tool-client/webmcp"

const page = createLocalSession().createToolClient("web")
page.addTool("greet", {
  description: "Greet somebody.",
  parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  parse(args) {
    if (typeof args.name !== "string") throw new Error("name must be a text")
    return args
  },
  execute: ({ name }) => "Hello " + name,
})
mirrorToModelContext(page)
globalThis.ready = page.ready
`

/** Files of the bundle by the path that they are served under. */
let files: ReadonlyMap<string, string>
let server: Server
let url: string

beforeAll(async () => {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    stdin: { contents: APPLICATION, resolveDir: ROOT, sourcefile: "app.js" },
    plugins: [
      {
        name: "package-from-source",
        setup({ onResolve }) {
          for (const { find, replacement } of sourceAliases("default")) onResolve({ filter: find }, () => ({ path: replacement }))
        },
      },
    ],
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    outdir: "out",
    entryNames: "app",
    chunkNames: "[name]-[hash]",
    write: false,
    logLevel: "error",
  })
  files = new Map(outputFiles.map(({ path, text }) => [`/${basename(path)}`, text]))
  server = createServer((request, response) => {
    const script = files.get(request.url ?? "")
    response.setHeader("Content-Type", script === undefined ? "text/html" : "text/javascript")
    response.end(script ?? '<!doctype html><title>page</title><script type="module" src="/app.js"></script>')
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterAll(() => server.close())

/** Opens the page in a browser of its own; gives it when its tools are served, and the scripts that it has asked for by then. */
async function withPage(flag: string, look: (page: Page, scripts: readonly string[]) => Promise<void>): Promise<void> {
  const browser: Browser = await launchChromium(flag)
  try {
    const page = await browser.newPage()
    const scripts: string[] = []
    page.on("request", (request) => {
      const { pathname } = new URL(request.url())
      if (files.has(pathname)) scripts.push(pathname)
    })
    await page.goto(url)
    await page.evaluate(() => (globalThis as unknown as { ready: Promise<void> }).ready)
    await look(page, scripts)
  } finally {
    await browser.close()
  }
}

const isRegistrar = (path: string): boolean => path.includes("registrar")

test("A browser without an agent of its own asks for no more than the page, in production too", async () => {
  expect([...files.keys()].filter(isRegistrar)).toHaveLength(1)
  await withPage("--disable-features=WebMCP", async (page, scripts) => {
    await page.waitForLoadState("networkidle")
    expect(await page.evaluate(() => "modelContext" in document)).toBe(false)
    expect(scripts).toContain("/app.js")
    expect(scripts.filter(isRegistrar)).toEqual([])
  })
})

test("An agent over the DevTools protocol finds and calls the page's tool, and is told what is wrong with its arguments", async () => {
  await withPage("--enable-features=WebMCP", async (page, scripts) => {
    await eventually(async () => (await page.webmcp.tools()).map(({ name, description }) => ({ name, description }))).toEqual([
      { name: "greet", description: "Greet somebody." },
    ])
    expect(scripts.filter(isRegistrar)).toHaveLength(1)
    expect(await page.webmcp.callTool("greet", { name: "Ada" })).toEqual({ content: [{ type: "text", text: "Hello Ada" }] })
    expect(await page.webmcp.callTool("greet", { name: 7 })).toEqual({
      content: [{ type: "text", text: expect.stringContaining("name must be a text") as string }],
      isError: true,
    })
  })
})

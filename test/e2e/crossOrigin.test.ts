import { fileURLToPath } from "node:url"
import type { Browser, Page } from "playwright"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createSessionServer, serve, type ServedSession, type SessionServer } from "../../src/server/index.ts"
import { ROOT, sourceAliases } from "../../scripts/lib/entries.mjs"
import type { ConnectOptions } from "./otherOrigin/main.ts"
import { eventually } from "./support/eventually.ts"
import { launchChromium } from "./support/launchChromium.ts"
import { type ServedVite, serveVite } from "./support/serveVite.ts"

let browser: Browser
let pages: ServedVite
let sessions: SessionServer
let served: ServedSession
/** Requests of the session server, as `OPTIONS acks`. */
const requests: string[] = []

/** One server, two origins: by its address it is allowed, by its name it is not. */
const allowed = (): string => `http://127.0.0.1:${pages.port}`
const notAllowed = (): string => `http://localhost:${pages.port}`

beforeAll(async () => {
  ;[pages, browser] = await Promise.all([
    serveVite({
      configFile: false,
      root: fileURLToPath(new URL("otherOrigin", import.meta.url)),
      cacheDir: `${ROOT}node_modules/.vite/e2e-other-origin`,
      resolve: { alias: sourceAliases("default") },
      server: { fs: { allow: [ROOT] } },
      optimizeDeps: { include: ["eventsource-parser"] },
    }),
    launchChromium(),
  ])
  sessions = createSessionServer({ apiKey: "key", secret: "s".repeat(32), allowedOrigins: [allowed()] })
  served = await serve({
    fetch(request) {
      requests.push(`${request.method} ${new URL(request.url).pathname.split("/").at(-1) ?? ""}`)
      return sessions.fetch(request)
    },
  })
})

afterAll(async () => {
  await browser.close()
  await sessions.close()
  await served.close()
  await pages.close()
})

async function connect(origin: string, isFetchOnly: boolean): Promise<{ page: Page; sessionId: string; sockets: readonly string[] }> {
  const { id: sessionId, token } = await sessions.createSession()
  const page = await (await browser.newContext()).newPage()
  await page.goto(origin)
  const sockets: string[] = []
  page.on("websocket", (socket) => sockets.push(socket.url()))
  await page.waitForFunction(() => "otherOrigin" in globalThis)
  requests.splice(0)
  const options: ConnectOptions = { baseUrl: served.url, sessionId, token, isFetchOnly }
  await page.evaluate((given) => globalThis.otherOrigin.connect(given), options)
  return { page, sessionId, sockets }
}

for (const isFetchOnly of [false, true]) {
  const over = isFetchOnly ? "fetch" : "a WebSocket"

  test(`A page of an allowed origin serves tools, its stream over ${over}`, async () => {
    const { page, sessionId, sockets } = await connect(allowed(), isFetchOnly)
    await eventually(() => page.evaluate(() => globalThis.otherOrigin.status())).toBe("open serving")
    expect(sockets).toHaveLength(isFetchOnly ? 0 : 1)
    for (const a of [1, 2, 3]) {
      expect(await sessions.callTool(sessionId, "client__web__add", { a, b: 1 })).toMatchObject({ text: String(a + 1), is_error: false })
    }
    expect(await page.evaluate(() => globalThis.otherOrigin.problems)).toEqual([])
    // One preflight for each URL, not one for each call.
    expect(requests.filter((request) => request === "POST answers")).toHaveLength(3)
    expect(requests.filter((request) => request === "OPTIONS answers")).toHaveLength(1)
    expect(requests.filter((request) => request === "OPTIONS acks")).toHaveLength(1)
    await page.context().close()
  })

  test(`A page of an origin that is not allowed is refused, its stream over ${over}`, async () => {
    const { page, sessionId } = await connect(notAllowed(), isFetchOnly)
    await eventually(() => page.evaluate(() => globalThis.otherOrigin.problems.length + globalThis.otherOrigin.status())).not.toBe("0connecting joining")
    expect(await page.evaluate(() => globalThis.otherOrigin.status())).toMatch(/^(reconnecting|failed) (joining|failed)$/)
    expect(await sessions.tools(sessionId)).toEqual([])
    await page.context().close()
  })
}

test("A page of an origin that is not allowed cannot read or send by itself either", async () => {
  const { id, token } = await sessions.createSession()
  const page = await (await browser.newContext()).newPage()
  await page.goto(notAllowed())
  const attempt = (path: string, init: RequestInit): Promise<string> =>
    page.evaluate(
      ([url, options]) =>
        fetch(url, options).then(
          ({ status }) => `answered ${status}`,
          (error: unknown) => String(error),
        ),
      [served.url + path, init] as const,
    )
  const headers = { authorization: `Bearer ${token}` }
  expect(await attempt(`/v1/sessions/${id}/events`, { headers })).toContain("TypeError")
  expect(await attempt("/v1/sessions", { method: "POST", headers: { authorization: "Bearer key" } })).toContain("TypeError")
  await page.context().close()
})

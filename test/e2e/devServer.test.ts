import { fileURLToPath } from "node:url"
import { test } from "vitest"
import { ROOT } from "../../scripts/lib/entries.mjs"
import { eventually } from "./support/eventually.ts"
import { launchChromium } from "./support/launchChromium.ts"
import { serveVite } from "./support/serveVite.ts"

test("Vite's own socket, the hub's and the session's share one port", async () => {
  const root = fileURLToPath(new URL("../../playground", import.meta.url))
  const [served, browser] = await Promise.all([
    serveVite({ root, configFile: `${root}/vite.config.ts`, cacheDir: `${ROOT}node_modules/.vite/e2e-own`, server: { hmr: true } }),
    launchChromium(),
  ])
  const page = await browser.newPage()
  const said: string[] = []
  const sockets: string[] = []
  page.on("console", (message) => said.push(message.text()))
  page.on("websocket", (socket) => sockets.push(new URL(socket.url()).pathname))
  await page.goto(`${served.url}/#/hub`)
  await page.getByTestId("hub-connection").getByText("open").waitFor()
  await eventually(() => said).toContain("[vite] connected.")
  await page.getByRole("link", { name: "Session" }).click()
  await page.getByTestId("tool-client").getByText("serving").waitFor()
  await eventually(() => sockets.map((path) => path.replace(/sessions\/[^/]+/, "sessions/*")).sort()).toEqual(["/", "/v1/sessions/*/events", "/ws"])
  await browser.close()
  await served.close()
})

// That a sandbox finds its worker in an installed package: in plain Node, and in what bundlers make of it.
import { build as bundle } from "esbuild"
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser } from "playwright"
import { build, preview, type PreviewServer } from "vite"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { ROOT } from "../../scripts/lib/entries.mjs"
import { createConsumer } from "./support/createConsumer.ts"
import { openBrowser } from "./support/openBrowser.ts"
import { startProgram } from "./support/startProgram.ts"

const PROGRAMS = "test/examples/programs"
const APP = "test/examples/sandboxApp"
const ENGINE = ["quickjs-emscripten-core", "@jitl/quickjs-wasmfile-release-sync"]
const WASM = "@jitl/quickjs-wasmfile-release-sync/dist/emscripten-module.wasm"
const RAN = '{"status":"completed","value":3} limit'

describe("a sandbox of the packed library in plain Node", () => {
  it("runs scripts in a worker, ends the one that never comes back, and holds the process no longer", async () => {
    const folder = createConsumer({ packages: ENGINE, files: [PROGRAMS] })
    const { code, output } = await startProgram(join(folder, PROGRAMS, "runsScripts.js")).ended
    expect(output).toMatch(/"value":3[^]*"value":7[^]*limit: [^]*100 ms by itself[^]*"value":11/)
    expect(code).toBe(0)
  })

  it("says which packages to install where they are missing", async () => {
    const folder = createConsumer({ files: [PROGRAMS] })
    const { output } = await startProgram(join(folder, PROGRAMS, "runsScripts.js")).ended
    expect(output).toContain("not_installed: ")
    expect(output).toContain(`npm install ${ENGINE.join(" ")}`)
  })
})

describe("a sandbox of the packed library in a page", () => {
  let browser: Browser
  let folder: string

  beforeAll(async () => {
    browser = await openBrowser()
    folder = join(createConsumer({ packages: ENGINE, files: [APP] }), APP)
  })
  afterAll(() => browser?.close())

  /** Serves a folder that was built, and gives what its page shows. */
  async function shown(outDir: string, options: { readonly headers?: Record<string, string>; readonly hash?: string } = {}): Promise<string> {
    const { headers, hash = "" } = options
    const server: PreviewServer = await preview({
      root: folder,
      configFile: false,
      logLevel: "warn",
      build: { outDir },
      preview: { host: "127.0.0.1", port: 0, ...(headers && { headers }) },
    })
    const page = await browser.newPage()
    onTestFinished(async () => {
      await page.close()
      await server.close()
    })
    await page.goto(`${server.resolvedUrls?.local[0] ?? ""}${hash}`)
    const output = page.locator("output:not(:empty)")
    await output.waitFor({ timeout: 25_000 })
    return output.innerText()
  }

  describe("that Vite has built", () => {
    beforeAll(() => build({ root: folder, configFile: false, logLevel: "warn", mode: "production" }).then(() => {}))

    it("runs scripts in a worker, and ends the one that never comes back", async () => {
      expect(await shown("dist")).toBe(RAN)
    })

    it("needs no more of the page's policy than its own origin, and WebAssembly", async () => {
      const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src data:"
      expect(await shown("dist", { headers: { "content-security-policy": policy } })).toBe(RAN)
    })

    it("runs nothing where the page's policy allows no worker, and says so", async () => {
      expect(await shown("dist", { headers: { "content-security-policy": "worker-src 'none'" } })).toBe("no_worker no_worker")
    })
  })

  it("that esbuild has built, which knows no workers, runs scripts in one that was bundled by itself", async () => {
    const outdir = join(folder, "bundled")
    await bundle({
      absWorkingDir: folder,
      entryPoints: ["main.ts", { in: "react-tool-client/sandbox-worker", out: "sandbox-worker" }],
      bundle: true,
      format: "esm",
      target: "es2022",
      outdir,
      // It is not installed, and asked for by who runs an agent only.
      external: ["ai"],
      logLevel: "error",
    })
    copyFileSync(join(ROOT, "node_modules", WASM), join(outdir, "emscripten-module.wasm"))
    copyFileSync(join(folder, "bundled.html"), join(outdir, "index.html"))
    expect(await shown("bundled", { hash: "#own" })).toBe(RAN)
    expect(await shown("bundled")).toBe("no_worker no_worker")
  })
})

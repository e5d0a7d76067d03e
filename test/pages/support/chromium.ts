import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { CHROMIUM_ARGS, ensureChromium } from "../../../scripts/lib/chromium.mjs"
import { connectDevTools, type DevTools } from "./devTools.ts"
import { attachTab, type Tab } from "./tab.ts"

export interface Chromium {
  /** Opens a tab in front of all others, which are hidden from then on. */
  open(url: string): Promise<Tab>
  /** The tab that `open` makes a page open. */
  opened(open: () => Promise<unknown>): Promise<Tab>
  /** Opens an empty tab in front, so that all others are hidden. */
  hideAll(): Promise<void>
  /** Closes every tab that was opened; gives what their pages said on their consoles as errors. */
  clear(): Promise<readonly string[]>
  close(): Promise<void>
}

/** How long Chromium may take to end by itself, in milliseconds. */
const END_PATIENCE_MS = 5_000

/**
 * The machine's Chromium as people start it. Playwright's has flags that keep timers of hidden pages running and pages out of the
 * back/forward cache, and makes every tab believe that it has the focus: nothing of what these tests are about would happen.
 */
export async function launchChromium(flags: readonly string[] = []): Promise<Chromium> {
  const profile = await mkdtemp(join(tmpdir(), "pages-"))
  const args = ["--headless=new", "--remote-debugging-port=0", `--user-data-dir=${profile}`, "--disable-dev-shm-usage"]
  const child = spawn(ensureChromium(), [...CHROMIUM_ARGS, ...args, ...flags, "about:blank"], { stdio: ["ignore", "ignore", "pipe"] })
  const ended = once(child, "exit")
  const devTools = await connectDevTools(await endpointOf(child.stderr, ended))
  let tabs: Tab[] = []

  async function attach(targetId: string): Promise<Tab> {
    const tab = await attachTab(devTools, targetId)
    tabs.push(tab)
    return tab
  }

  const createTarget = async (url: string): Promise<string> =>
    (await devTools.send<{ targetId: string }>("Target.createTarget", { url })).targetId

  await devTools.send("Target.setDiscoverTargets", { discover: true })

  return {
    async open(url) {
      const tab = await attach(await createTarget("about:blank"))
      await tab.goto(url)
      return tab
    },
    async opened(open) {
      const created = nextPage(devTools)
      await open()
      return attach(await created)
    },
    async hideAll() {
      await attach(await createTarget("about:blank"))
    },
    async clear() {
      const closing = tabs
      tabs = []
      await Promise.all(closing.map((tab) => tab.close()))
      return closing.flatMap(({ complaints }) => complaints)
    },
    async close() {
      await devTools.send("Browser.close").catch(() => {})
      const timer = setTimeout(() => child.kill("SIGKILL"), END_PATIENCE_MS)
      await ended
      clearTimeout(timer)
      devTools.close()
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Chromium says on its standard error where its DevTools listen. */
async function endpointOf(stderr: NodeJS.ReadableStream, ended: Promise<unknown>): Promise<string> {
  const said: string[] = []
  const found = new Promise<string>((resolve) => {
    // Read to the end: a full pipe would stop the browser.
    createInterface(stderr).on("line", (line) => {
      said.push(line)
      const [, url] = /DevTools listening on (ws:\S+)/.exec(line) ?? []
      if (url !== undefined) resolve(url)
    })
  })
  const failed = ended.then((): never => {
    throw new Error(`Chromium did not start:\n${said.join("\n")}`)
  })
  failed.catch(() => {})
  return Promise.race([found, failed])
}

interface TargetInfo {
  readonly targetId: string
  readonly type: string
  readonly openerId?: string
}

/** The next tab that a page opens. */
const nextPage = (devTools: DevTools): Promise<string> =>
  new Promise((resolve) => {
    const stop = devTools.on<{ targetInfo: TargetInfo }>("Target.targetCreated", ({ targetInfo }) => {
      if (targetInfo.type !== "page" || targetInfo.openerId === undefined) return
      stop()
      resolve(targetInfo.targetId)
    })
  })

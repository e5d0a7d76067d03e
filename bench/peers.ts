import { chromium } from "playwright"
import { CHROMIUM_ARGS, findChromium } from "../scripts/lib/chromium.mjs"
import { bundleSubject, versionOf, weighImport } from "./bundlePeer.ts"
import type { Kind, Measured } from "./peers/inPage.tsx"
import { type Comparison, compare } from "./table.ts"

interface Peer {
  readonly subject: string
  readonly name: string
  /** The smallest import that does the job: a component declares a tool, and something can call it. */
  readonly smallest: string
}

const OURS = "react-tool-client"

/** In the order of the tables. */
const PEERS: readonly Peer[] = [
  {
    subject: "ours",
    name: OURS,
    smallest: `export { createSessionClient, SessionProvider, useSession, useTool, useToolClient } from "react-tool-client"`,
  },
  { subject: "usewebmcp", name: "usewebmcp", smallest: `export { useWebMCP } from "usewebmcp"` },
  {
    subject: "copilotkit",
    name: "@copilotkit/react-core",
    smallest: `export { CopilotKitContext, CopilotKitCoreReact } from "@copilotkit/react-core/v2/context"; export { useFrontendTool } from "@copilotkit/react-core/v2/headless"`,
  },
  {
    subject: "assistantUi",
    name: "@assistant-ui/react",
    smallest: `export { AssistantRuntimeProvider, useAssistantTool, useLocalRuntime } from "@assistant-ui/react"`,
  },
  { subject: "elevenlabs", name: "@elevenlabs/react", smallest: `export { ConversationProvider, useConversationClientTool } from "@elevenlabs/react"` },
]

/** Our hooks, where `<SessionProvider client={() => import("./sessionClient")}>` loads the client after the page's first load. */
const OURS_LOADED: Peer = {
  subject: "ours",
  name: `${OURS}, the client in a file that is loaded afterwards`,
  smallest: `export { SessionProvider, useSession, useTool, useToolClient } from "react-tool-client"`,
}

/** Tools in the page, how often a sample mounts it (often where it takes less than a clock can tell), and how many samples are taken. */
const SIZES: readonly (readonly [tools: number, mounts: number, samples: number])[] = [
  [1, 20, 20],
  [20, 4, 20],
  [200, 1, 12],
  [1_000, 1, 4],
]
const KINDS: readonly Kind[] = ["Inline", "Stable"]

/** Samples that are thrown away: the compiler's. */
const WARM_UPS = 2

/** What a library was measured as, beside the same components without any. */
export interface PeerRow {
  readonly library: string
  readonly kind: Kind
  readonly tools: number
  readonly mount: Comparison
  readonly render: Comparison
  /** Of the last sample: what is counted is the same in all. */
  readonly counted: Measured
}

/** The same components without a library; the baseline of all ratios. */
export const PLAIN = "no library"

/** Served by nobody: the browser gives a page of a secure origin that is alone (COOP, COEP) a clock of 5 instead of 100 microseconds. */
const PAGE = "http://localhost/bench"
const ALONE = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" }

export interface PeerResults {
  readonly rows: readonly PeerRow[]
  readonly sizes: readonly { readonly library: string; readonly version: string; readonly bytes: number }[]
  readonly browser: string
}

/** Measures every library in a page of its own of one browser, a sample each in turns, so that what the machine does meanwhile meets all. */
export async function benchPeers(): Promise<PeerResults> {
  const executablePath = findChromium()
  const browser = await chromium.launch({ args: [...CHROMIUM_ARGS, "--js-flags=--expose-gc"], ...(executablePath !== undefined && { executablePath }) })
  try {
    const pages = new Map<string, Awaited<ReturnType<typeof browser.newPage>>>()
    for (const subject of ["plain", ...PEERS.map((peer) => peer.subject)]) {
      const page = await browser.newPage()
      await page.route(PAGE, (route) => route.fulfill({ contentType: "text/html", headers: ALONE, body: "<!doctype html><title>bench</title>" }))
      await page.goto(PAGE)
      await page.addScriptTag({ content: await bundleSubject(subject) })
      pages.set(subject, page)
    }
    const measure = async (subject: string, kind: Kind, tools: number, mounts: number): Promise<Measured> => {
      const page = pages.get(subject)
      if (!page) throw new Error(`No page measures ${subject}`)
      await page.bringToFront()
      return page.evaluate(([k, t, m]) => globalThis.measure(k, t, m), [kind, tools, mounts] as const)
    }

    const rows: PeerRow[] = []
    for (const [tools, mounts, samples] of SIZES) {
      for (const kind of KINDS) {
        const taken = new Map<string, Measured[]>([...pages.keys()].map((subject) => [subject, []]))
        for (let sample = -WARM_UPS; sample < samples; sample++) {
          for (const [subject, measured] of taken) {
            const one = sample < 0 ? await measure(subject, kind, Math.min(tools, 20), 2) : await measure(subject, kind, tools, mounts)
            if (sample >= 0) measured.push(one)
          }
        }
        const plain = taken.get("plain") ?? []
        for (const { subject, name } of [{ subject: "plain", name: PLAIN }, ...PEERS]) {
          const measured = taken.get(subject) ?? []
          const last = measured.at(-1)
          if (!last) throw new Error(`Nothing was measured of ${subject}`)
          const of = (what: "mount" | "render") => compare(measured.map((one) => one[what]), plain.map((one) => one[what]))
          rows.push({ library: name, kind, tools, mount: of("mount"), render: of("render"), counted: last })
        }
      }
    }
    const sizes = await Promise.all(
      [...PEERS.slice(0, 1), OURS_LOADED, ...PEERS.slice(1)].map(async ({ name, smallest }) => ({
        library: name,
        version: name.startsWith(OURS) ? "this checkout" : versionOf(name),
        bytes: await weighImport(smallest),
      })),
    )
    return { rows, sizes, browser: `Chromium ${browser.version()}` }
  } finally {
    await browser.close()
  }
}

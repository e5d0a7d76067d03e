import { chromium } from "playwright"
import { CHROMIUM_ARGS, findChromium } from "../scripts/lib/chromium.mjs"
import { bundleSubject, versionOf, weighImport } from "./bundlePeer.ts"
import type { Kind, Measured } from "./peers/inPage.tsx"
import { median } from "./table.ts"

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

/** Tools in the page, and how often it is mounted: fewer times where it takes long. */
const SIZES: readonly (readonly [tools: number, mounts: number])[] = [
  [1, 60],
  [20, 30],
  [200, 7],
  [1_000, 3],
]
const KINDS: readonly Kind[] = ["Inline", "Stable"]

export interface PeerRow {
  readonly library: string
  readonly kind: Kind
  readonly tools: number
  readonly measured: Measured
  /** Medians, over those of the same components without a library. */
  readonly mountRatio: number
  readonly renderRatio: number
}

export interface PeerResults {
  readonly rows: readonly PeerRow[]
  readonly sizes: readonly { readonly library: string; readonly version: string; readonly bytes: number }[]
  readonly browser: string
}

/** Measures every library in a page of its own of one browser, in turns, so that what the machine does meanwhile meets all. */
export async function benchPeers(): Promise<PeerResults> {
  const executablePath = findChromium()
  const browser = await chromium.launch({ args: [...CHROMIUM_ARGS], ...(executablePath !== undefined && { executablePath }) })
  try {
    const pages = new Map<string, Awaited<ReturnType<typeof browser.newPage>>>()
    for (const subject of ["plain", ...PEERS.map((peer) => peer.subject)]) {
      const page = await browser.newPage()
      await page.setContent("<!doctype html><title>bench</title>")
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
    for (const [tools, mounts] of SIZES) {
      for (const kind of KINDS) {
        // Once for nothing: the first time is the compiler's.
        for (const subject of pages.keys()) await measure(subject, kind, Math.min(tools, 20), 2)
        const plain = await measure("plain", kind, tools, mounts)
        for (const { subject, name } of PEERS) {
          const measured = await measure(subject, kind, tools, mounts)
          rows.push({
            library: name,
            kind,
            tools,
            measured,
            mountRatio: median(measured.mount) / median(plain.mount),
            renderRatio: median(measured.render) / median(plain.render),
          })
        }
      }
    }
    const sizes = await Promise.all(
      PEERS.map(async ({ name, smallest }) => ({
        library: name,
        version: name === OURS ? "this checkout" : versionOf(name),
        bytes: await weighImport(smallest),
      })),
    )
    return { rows, sizes, browser: `Chromium ${browser.version()}` }
  } finally {
    await browser.close()
  }
}

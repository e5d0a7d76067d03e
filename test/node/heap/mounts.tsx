// A process of its own, whose heap holds nothing but this: mounts and unmounts pages with tools, and prints which kinds of things the heap
// has more of afterwards, as JSON.
import { getHeapSnapshot } from "node:v8"
import { text } from "node:stream/consumers"
import { JSDOM } from "jsdom"
import type { ReactElement } from "react"

const { window } = new JSDOM('<div id="root"></div>', { url: "http://localhost/" })
Object.assign(globalThis, { window, document: window.document, navigator: window.navigator })
const { createRoot } = await import("react-dom/client")
const { flushSync } = await import("react-dom")
const { SessionProvider, useSession, useTool, useToolClient } = await import("../../../src/index.ts")
const { createTestSession } = await import("../../../src/testing/index.ts")
const { z } = await import("zod")

const MOUNTS = Number(process.argv[2])
/** Each of `MOUNTS` that leaves one thing behind is above it; what React, jsdom and V8 keep of their own is not. */
const SHARE = 0.9
/** Leaves something behind on purpose, to see that it is found. */
const leaked: (() => string)[] | undefined = process.argv[3] === "leak" ? [] : undefined

const session = createTestSession()

function Page({ round }: { readonly round: number }): ReactElement | null {
  const page = useToolClient(useSession("any"), "web")
  const execute = (): string => `round ${round}`
  leaked?.push(execute)
  useTool(page, `tool_${round % 7}`, { description: "A tool.", schema: z.object({ title: z.string() }), execute })
  return null
}

async function mountAndUnmount(times: number): Promise<void> {
  for (let round = 0; round < times; round++) {
    const root = createRoot(window.document.getElementById("root") as HTMLElement)
    flushSync(() => root.render(<SessionProvider client={session.client}><Page round={round} /></SessionProvider>))
    if (round % 50 === 0) {
      await session.settle()
      await session.callTool(`tool_${round % 7}`, { title: "any" })
    }
    flushSync(() => root.unmount())
    // React's own effects, and what the library does after a commit.
    await session.settle()
  }
}

interface Snapshot {
  readonly snapshot: { readonly meta: { readonly node_fields: readonly string[]; readonly node_types: readonly [readonly string[]] } }
  readonly nodes: readonly number[]
  readonly strings: readonly string[]
}

/** How many objects and functions of each name are alive; taking a snapshot collects garbage first. */
async function countKinds(): Promise<Map<string, number>> {
  const { snapshot, nodes, strings } = JSON.parse(await text(getHeapSnapshot())) as Snapshot
  const { node_fields: fields, node_types: [types] } = snapshot.meta
  const [type, name] = [fields.indexOf("type"), fields.indexOf("name")]
  const counts = new Map<string, number>()
  for (let at = 0; at < nodes.length; at += fields.length) {
    const kind = types[nodes[at + type] as number]
    if (kind !== "object" && kind !== "closure") continue
    const key = `${kind} ${strings[nodes[at + name] as number]}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

await mountAndUnmount(MOUNTS)
const before = await countKinds()
await mountAndUnmount(MOUNTS)
const after = await countKinds()
const grown = [...after].flatMap(([key, count]) => {
  const more = count - (before.get(key) ?? 0)
  return more > MOUNTS * SHARE ? [`${key}: ${more} more`] : []
})
console.log(JSON.stringify({ kinds: after.size, grown }))
process.exit()

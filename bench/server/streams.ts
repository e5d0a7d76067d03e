import type { Row } from "../table.ts"
import { openRawPage, type RawPage } from "./rawPage.ts"
import { startServer } from "./startServer.ts"

const STREAMS = 10_000
const AT_ONCE = 50
const KIB = 1024

/** Runs `work` for each of `count`, a few at a time. */
export async function each(count: number, work: (index: number) => Promise<void>, atOnce = AT_ONCE): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < count) await work(next++)
    }),
  )
}

/** What ten thousand sessions with an open stream cost one process. */
export async function benchStreams(): Promise<Row[]> {
  const server = await startServer("ours")
  const pages: RawPage[] = []
  await each(100, async () => void pages.push(await openRawPage(server.url)))
  const before = await server.usage()
  await each(STREAMS, async () => void pages.push(await openRawPage(server.url)))
  const after = await server.usage()
  for (const page of pages) page.close()
  await server.kill()
  const perStream = (key: "memory" | "rss"): string => `${((after[key] - before[key]) / STREAMS / KIB).toFixed(1)} KiB`
  return [
    { what: "sessions with an open stream, held by one process", ours: STREAMS.toLocaleString("en"), beside: "", ratio: "", goal: "10,000" },
    { what: "memory of the process for one of them", ours: perStream("memory"), beside: `${perStream("rss")} resident`, ratio: "", goal: "" },
  ]
}

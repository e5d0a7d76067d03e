import { readFileSync, writeFileSync } from "node:fs"
import { cpus, totalmem } from "node:os"
import { join } from "node:path"
import { ROOT } from "../scripts/lib/entries.mjs"
import { PLAIN, type PeerResults, type PeerRow } from "./peers.ts"
import { summary } from "./summary.ts"
import { microseconds, type Row, times } from "./table.ts"

const GIB = 1024 ** 3
const DOCUMENT = join(ROOT, "docs/benchmarks.md")

/** Replaces what stands between the two marks of a part of docs/benchmarks.md. */
export function writeMeasured(part: "client" | "server", text: string): void {
  const [begin, end] = [`<!-- measured: ${part} -->`, `<!-- end of measured: ${part} -->`]
  const document = readFileSync(DOCUMENT, "utf8")
  const [before, rest] = document.split(begin)
  const [, after] = (rest ?? "").split(end)
  if (before === undefined || after === undefined) throw new Error(`docs/benchmarks.md lacks the marks ${begin} and ${end}`)
  writeFileSync(DOCUMENT, `${before}${begin}\n\n${text}\n${end}${after}`)
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "-"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

function peerTable(rows: readonly PeerRow[], kind: PeerRow["kind"]): string {
  return table(
    ["tools", "library", "mount: µs a tool", "ratio", "re-render: µs a tool", "ratio", "told: mount", "10 re-renders", "5 changed", "last handler runs"],
    rows
      .filter((row) => row.kind === kind)
      .map(({ tools, library, mount, render, counted }) => [
        String(tools),
        library,
        ...[mount, render].flatMap((one) => [microseconds(one.time / tools), times(one.ratio)]),
        ...(library === PLAIN ? ["", "", "", ""] : [...[counted.noticesOfMount, counted.noticesOfRenders, counted.noticesOfChange].map(String), kind === "Stable" ? "" : counted.isFresh ? "yes" : "NO"]),
      ]),
  )
}

/** Rows of what is measured beside nothing or beside the same by hand. */
export const ownTable = (rows: readonly Row[]): string =>
  table(["what", "ours", "beside", "ratio", "goal"], rows.map(({ what, ours, beside, ratio, goal }) => [what, ours, beside, ratio, goal]))

/** What `npm run bench` has measured. */
export function report(own: readonly Row[], peers: PeerResults): string {
  const [cpu] = cpus()
  return `Measured in one run by \`npm run bench\` on Node ${process.version} and ${peers.browser}, ${cpus().length} cores (${cpu?.model.trim() ?? "unknown"}), ${Math.round(totalmem() / GIB)} GiB. Medians.

### In short

${summary(own, peers)}

### Beside nothing

${ownTable(own)}

### Beside peers: definitions written inline

The same components in the same React, production builds, in Chromium, each with a zod schema of its own. "No library" builds the schema and the handler and throws them away;
ratios are to it. Lower quartiles of samples that were taken in turns. "Told" counts what the agent's side hears: requests, registrations, notifications.

${peerTable(peers.rows, "Inline")}

### Beside peers: definitions memoised

${peerTable(peers.rows, "Stable")}

### Size

The smallest import by which a component offers a tool that something can call: minified, gzipped, React and zod outside, what is loaded lazily not counted.

${table(["library", "version", "bytes"], peers.sizes.map(({ library, version, bytes }) => [library, version, String(bytes)]))}
`
}

import { readFileSync, writeFileSync } from "node:fs"
import { cpus, totalmem } from "node:os"
import { join } from "node:path"
import { ROOT } from "../scripts/lib/entries.mjs"
import type { PeerResults, PeerRow } from "./peers.ts"
import { median, type Row } from "./table.ts"

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

const times = (ratio: number): string => `${ratio.toFixed(ratio < 10 ? 2 : 0)}x`

/** Half of the samples lie within this part of the median. */
function spread(samples: readonly number[]): string {
  const sorted = [...samples].sort((one, other) => one - other)
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
  return `±${Math.round((100 * (at(0.75) - at(0.25))) / 2 / median(samples))} %`
}

function peerTable(rows: readonly PeerRow[], kind: PeerRow["kind"]): string {
  return table(
    ["tools", "library", "mount", "re-render", "of which half lies within", "told the agent's side: mount", "20 re-renders", "5 changed", ...(kind === "Inline" ? ["runs the last render's handler"] : [])],
    rows
      .filter((row) => row.kind === kind)
      .map(({ tools, library, measured, mountRatio, renderRatio }) => [
        String(tools),
        library,
        times(mountRatio),
        times(renderRatio),
        spread(measured.render),
        ...[measured.noticesOfMount, measured.noticesOfRenders, measured.noticesOfChange].map(String),
        ...(kind === "Inline" ? [measured.isFresh ? "yes" : "NO"] : []),
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

### Beside nothing

${ownTable(own)}

### Beside peers: definitions written inline

The same components in the same React, production builds, in Chromium. Times are ratios to the same components without any library, which build the schema and the handler
and throw them away. "Told the agent's side" counts requests, registrations and notifications.

${peerTable(peers.rows, "Inline")}

### Beside peers: definitions memoised

${peerTable(peers.rows, "Stable")}

### Size

The smallest import by which a component offers a tool that something can call: minified, gzipped, React and zod outside, what is loaded lazily not counted.

${table(["library", "version", "bytes"], peers.sizes.map(({ library, version, bytes }) => [library, version, String(bytes)]))}
`
}

import { PLAIN, type PeerResults, type PeerRow } from "./peers.ts"
import { microseconds, type Row, times } from "./table.ts"

/** Of all that is measured, the page that is most like an application's. */
const TOOLS = 20

const listed = (parts: readonly string[]): string => (parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${parts.at(-1) ?? ""}` : (parts[0] ?? ""))

/** Ours first, then who takes less and who takes more, each with its own number. */
function standing(what: string, rows: readonly PeerRow[], kind: PeerRow["kind"], measure: "mount" | "render"): string {
  const found = rows.filter((row) => row.kind === kind && row.tools === TOOLS)
  const [plain, ours, ...peers] = found
  if (!plain || !ours || plain.library !== PLAIN) throw new Error("The baseline and ours come first.")
  const told = (row: PeerRow): string => `${row.library} ${microseconds(row[measure].time / TOOLS)} µs`
  const better = peers.filter((peer) => peer[measure].ratio < ours[measure].ratio).map(told)
  const worse = peers.filter((peer) => peer[measure].ratio >= ours[measure].ratio).map(told)
  return `- **${what}**: ${microseconds(ours[measure].time / TOOLS)} µs a tool, ${times(ours[measure].ratio)} the same components without a library (${microseconds(plain[measure].time / TOOLS)} µs).${
    better.length > 0 ? ` Less: ${listed(better)}.` : " Nobody takes less."
  }${worse.length > 0 ? ` More: ${listed(worse)}.` : ""}`
}

function told({ rows }: PeerResults): string {
  const [ours, ...peers] = rows.filter((row) => row.kind === "Inline" && row.tools === TOOLS && row.library !== PLAIN)
  const of = ({ counted }: PeerRow): string => `${counted.noticesOfMount}, ${counted.noticesOfRenders}, ${counted.noticesOfChange}`
  return `- **What the agent's side hears** of a mount, 10 re-renders and a change of 5, inline: ${ours ? of(ours) : ""}; ${listed(peers.map((peer) => `${peer.library} ${of(peer)}`))}.`
}

function size({ sizes }: PeerResults): string {
  const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} kB`
  return `- **Size**: ${listed(sizes.map(({ library, bytes }) => `${library} ${kilobytes(bytes)}`))}.`
}

/** What a reader wants to know first, in words made of the numbers. */
export function summary(own: readonly Row[], peers: PeerResults): string {
  const roundTrips = own.filter((row) => row.what.startsWith("round trip"))
  return [
    `With ${TOOLS} tools in a page, beside the peers:`,
    "",
    standing("Mount, written inline", peers.rows, "Inline", "mount"),
    standing("Mount, memoised", peers.rows, "Stable", "mount"),
    standing("Re-render, written inline", peers.rows, "Inline", "render"),
    standing("Re-render, memoised (what the React Compiler makes of inline)", peers.rows, "Stable", "render"),
    told(peers),
    `- **Round trip** beside bare fetch + event stream: ${listed(roundTrips.map(({ what, ratio }) => `${ratio} with ${what.replace("round trip, ", "")}`))}.`,
    size(peers),
  ].join("\n")
}

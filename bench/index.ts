// `npm run bench`: numbers of one run on one machine, as ratios to the same work done without the library and by its peers. Nothing here
// fails a build. Writes what it measured into docs/benchmarks.md, between the two marks.
import { benchMemory } from "./memory.ts"
import { benchPeers } from "./peers.ts"
import { benchRenders } from "./renders.ts"
import { report, writeMeasured } from "./report.ts"
import { benchRoundTrip } from "./roundTrip.ts"
import { printTable } from "./table.ts"

// React reads it when it is loaded, which the benches do.
process.env["NODE_ENV"] = "production"

const rows = [...(await benchRenders()), ...(await benchRoundTrip()), ...(await benchMemory())]
console.log(`\nreact-tool-client, Node ${process.version}; medians`)
printTable(rows)

const text = report(rows, await benchPeers())
console.log(`\n${text}`)
writeMeasured("client", text)

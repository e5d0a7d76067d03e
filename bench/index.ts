// `npm run bench`: numbers of one run on one machine, as ratios to the same work done without the library and by its peers. Nothing here
// fails a build. Writes what it measured into docs/benchmarks.md, between the two marks.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ROOT } from "../scripts/lib/entries.mjs"
import { benchMemory } from "./memory.ts"
import { benchPeers } from "./peers.ts"
import { benchRenders } from "./renders.ts"
import { report } from "./report.ts"
import { benchRoundTrip } from "./roundTrip.ts"
import { printTable } from "./table.ts"

const DOCUMENT = join(ROOT, "docs/benchmarks.md")
const MARKS = /(?<=<!-- measured -->\n)[^]*(?=<!-- end of measured -->)/

// React reads it when it is loaded, which the benches do.
process.env["NODE_ENV"] = "production"

const rows = [...(await benchRenders()), ...(await benchRoundTrip()), ...(await benchMemory())]
console.log(`\nreact-tool-client, Node ${process.version}; medians`)
printTable(rows)

const text = report(rows, await benchPeers())
console.log(`\n${text}`)
writeFileSync(DOCUMENT, readFileSync(DOCUMENT, "utf8").replace(MARKS, () => `\n${text}\n`))

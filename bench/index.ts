// `npm run bench`: numbers of one run on one machine, as ratios to the same work done without the library. Nothing here fails a build.
import { benchRenders } from "./renders.ts"
import { benchRoundTrip } from "./roundTrip.ts"
import { printTable } from "./table.ts"

// React reads it when it is loaded, which the benches do.
process.env["NODE_ENV"] = "production"

const rows = [...(await benchRenders()), ...(await benchRoundTrip())]
console.log(`\nreact-tool-client, Node ${process.version}; medians`)
printTable(rows)

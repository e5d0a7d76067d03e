// `npm run bench:server`: what one process of the session server holds and does. Writes its table into docs/benchmarks.md, between the
// marks; with a name it runs that bench alone and writes nothing.
import { printTable, type Row } from "../table.ts"
import { ownTable, writeMeasured } from "../report.ts"
import { benchDispatches } from "./dispatches.ts"
import { benchReconnect } from "./reconnect.ts"
import { benchRedis } from "./redis.ts"
import { benchSteps } from "./steps.ts"
import { benchStreams } from "./streams.ts"

const benches: Readonly<Record<string, () => Promise<Row[]>>> = { dispatches: benchDispatches, steps: benchSteps, streams: benchStreams, reconnect: benchReconnect, redis: benchRedis }
const [only] = process.argv.slice(2)

const rows: Row[] = []
for (const [name, bench] of Object.entries(benches)) if (only === undefined || only === name) rows.push(...(await bench()))
printTable(rows)
if (only === undefined) writeMeasured("server", `Measured in one run by \`npm run bench:server\`.\n\n${ownTable(rows)}\n`)
// The sockets of thousands of clients would take their time to close.
process.exit()

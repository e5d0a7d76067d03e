// `npm run soak -- --seconds N --seed S`: many clients, tools and agents under random faults, in real time that runs faster.
// At the end, once no more faults come, all must be well again. Exits with 1 and the seed when anything was not.
import "./soak/production.ts"
import { parseArgs } from "node:util"
import { createParser } from "eventsource-parser"
import { createSessionServer, serve, type ServedSession, type SessionServer } from "../../src/server/index.ts"
import { collectGarbage } from "./collectGarbage.ts"
import { createFaultProxy } from "./proxy.ts"
import { createRandom } from "./random.ts"
import { type Agent, createAgent } from "./soak/agent.ts"
import { createChance } from "./soak/chance.ts"
import { createFastClock } from "./soak/fastClock.ts"
import { createLedger } from "./soak/ledger.ts"
import { createPage, type Page } from "./soak/page.ts"

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: process.env["FAULT_SEED"] ?? String(Math.floor(Math.random() * 2 ** 32)) },
    speed: { type: "string", default: "10" },
  },
})
const seconds = Number(values.seconds)
const seed = Number(values.seed)
const speed = Number(values.speed)
if (![seconds, seed, speed].every((value) => value >= 0) || speed === 0) {
  console.error("usage: npm run soak -- [--seconds N] [--seed S] [--speed 10]")
  process.exit(2)
}
console.log(`soak: ${seconds} s with seed ${seed}, time runs ${speed} times as fast`)

const SESSIONS = 3
const PAGES_PER_SESSION = 4
const AGENTS_PER_SESSION = 2
const API_KEY = "key-of-the-agents"
const SECRET = "a secret of thirty-two bytes, at least"

/** Milliseconds of protocol time after which all that went wrong must be well again: the deadline of a call, and a while. */
const RECOVERY_MS = 8 * 60_000

/** What the heap may grow by between two halves of a run, in bytes. */
const HEAP_GROWTH = 24 * 1024 * 1024

/** Real time in which the process must have ended by itself. */
const EXIT_MS = 15_000

/** Real time that opening, restarting and closing may take altogether. */
const SLACK_MS = 60_000

const ledger = createLedger()
const random = createRandom(seed)
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

process.on("unhandledRejection", (error) => ledger.violated(`An unhandled rejection: ${error instanceof Error ? error.stack : String(error)}`))
process.on("uncaughtException", (error) => ledger.violated(`An uncaught exception: ${error.stack}`))

/** What it is at; said when it does not get on. */
let stage = "opening"
const patience = setTimeout(
  () => {
    console.error(`soak: it does not end; it is ${stage} (seed ${seed})\nVIOLATION: ${ledger.violations.length} violations until now`)
    process.exit(1)
  },
  seconds * 1_000 + RECOVERY_MS / speed + SLACK_MS,
)

// The server, and its restarts.
const serverClock = createFastClock(speed, createRandom(random.below(2 ** 32)))
let server: SessionServer
let served: ServedSession
let amnesias = 0
const create = (): SessionServer =>
  createSessionServer({
    apiKey: API_KEY,
    secret: SECRET,
    clock: serverClock,
    limits: { maxSettledCalls: 1_000, maxSettledText: 1024 * 1024, maxCallsPerMinute: 1e9, maxRequestsPerMinute: 1e9 },
    tokenTtlSeconds: 240,
    logger: { warn() {}, error: (message, error) => ledger.violated(`The server logged: ${message} ${error instanceof Error ? error.stack : String(error)}`) },
  })
server = create()
served = await serve(server)
const sessionIds = await Promise.all(Array.from({ length: SESSIONS }, async () => (await server.createSession()).id))

const pages = new Map<string, Page>()
const crashed = new Set<Promise<void>>()
const agentProxy = await createFaultProxy({ now: () => Date.now(), remembers: false })
agentProxy.target = served.port
agentProxy.decide = createChance({
  random: createRandom(random.below(2 ** 32)),
  clock: { setTimeout: (callback, ms) => setTimeout(callback, ms / speed).unref() },
  onFault: (name) => ledger.count(name),
})

function aim(target: number | undefined): void {
  agentProxy.target = target
  for (const page of pages.values()) page.proxy.target = target
}

async function restart(keepsMemory: boolean): Promise<void> {
  stage = "restarting the server"
  ledger.count(keepsMemory ? "restarts" : "restarts without memory")
  aim(undefined)
  if (!keepsMemory) {
    await server.close()
    amnesias++
    server = create()
  }
  await served.close()
  await wait(random.below(500))
  served = await serve(server)
  aim(served.port)
}

/** Hears of every settled call, past all faults. */
async function observe(sessionId: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { token } = await server.createToken(sessionId)
    const life = amnesias
    const response = await server.fetch(new Request(`http://observer/v1/sessions/${sessionId}/events`, { headers: { authorization: `Bearer ${token}` }, signal }))
    const parser = createParser({
      onEvent({ event, data }) {
        if (event === "tool_call.settled") ledger.settled((JSON.parse(data) as { call_id: string }).call_id, life)
      },
    })
    const decoder = new TextDecoder()
    try {
      if (response.status === 200) for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk, { stream: true }))
    } catch {
      // The server was restarted.
    }
    await wait(10)
  }
}
const observing = new AbortController()
const observers = sessionIds.map((id) => observe(id, observing.signal).catch((error: unknown) => ledger.violated(`An observer failed: ${String(error)}`)))

// Pages come and go; each has a place in a session, and a tab there that remembers it when it is loaded again.
let loads = 0
const storages = new Map<string, { value: string | undefined }>()
async function openPage(place: string): Promise<void> {
  const sessionId = place.split(" ")[0]!
  const storage = storages.get(place) ?? { value: undefined }
  storages.set(place, storage)
  const page = await createPage({
    name: `${place} load ${++loads}`,
    storage,
    life: () => amnesias,
    sessionId,
    speed,
    random: createRandom(random.below(2 ** 32)),
    ledger,
    target: agentProxy.target,
    isForever: place.endsWith(" 0"),
    getToken: async (id) => (await server.createToken(id)).token,
  })
  page.proxy.target = agentProxy.target
  pages.set(place, page)
}
const places = sessionIds.flatMap((id) => Array.from({ length: PAGES_PER_SESSION }, (_, index) => `${id} ${index}`))
for (const place of places) await openPage(place)

const agents: Agent[] = sessionIds.flatMap((sessionId) =>
  Array.from({ length: AGENTS_PER_SESSION }, (_, index) =>
    createAgent({
      name: `${sessionId.slice(0, 6)}.${index}`,
      random: createRandom(random.below(2 ** 32)),
      ledger,
      sessionId,
      apiKey: API_KEY,
      baseUrl: () => agentProxy.url,
      wait,
      amnesias: () => amnesias,
    }),
  ),
)

/** A page goes, whichever way, and another comes in its place. */
async function replacePage(place: string): Promise<void> {
  const page = pages.get(place)
  pages.delete(place)
  if (!page) return
  stage = `replacing the page ${place}`
  if (place.endsWith(" 0")) {
    // A client that lives for ever must be deleted.
    page.heal()
    ledger.count("closed")
    await page.close((closing) => (stage = `closing the page ${place}: ${closing}`))
  } else {
    if (random.chance(0.7)) {
      page.unload()
      ledger.count("loaded again")
    } else {
      page.crash()
      ledger.count("crashed")
    }
    const gone = wait(random.below(5_000)).then(() => page.close())
    crashed.add(gone)
    void gone.finally(() => crashed.delete(gone))
  }
  await openPage(place)
}

const heap: number[] = []
function measure(): void {
  collectGarbage()
  heap.push(process.memoryUsage().heapUsed)
}

// Faults, for as long as it was asked.
const end = Date.now() + seconds * 1_000
const SAMPLES = 16
for (let sample = 1; Date.now() < end; ) {
  await wait(20 + random.below(60))
  const place = random.pick(places)
  if (random.chance(0.04)) await replacePage(place)
  else if (random.chance(0.005)) await restart(random.chance(0.7))
  else pages.get(place)?.step()
  stage = "under faults"
  if (Date.now() >= end - (seconds * 1_000 * (SAMPLES - sample)) / SAMPLES) {
    measure()
    sample++
  }
}

// No more faults: all must become well by itself.
console.log("no more faults")
stage = "waiting for calls"
agentProxy.decide = undefined
for (const page of pages.values()) page.heal()
const recoveryEnds = Date.now() + RECOVERY_MS / speed

async function within(what: string, condition: () => Promise<string | undefined>): Promise<void> {
  for (;;) {
    const problem = await condition()
    if (problem === undefined) return
    if (Date.now() > recoveryEnds) return ledger.violated(`${what}: ${problem}`)
    await wait(50)
  }
}

let haveStopped = false
const stopping = Promise.all(agents.map((agent) => agent.stop())).then(() => (haveStopped = true))
await within("Every call is settled", async () => (haveStopped ? undefined : agents.flatMap((agent) => agent.waiting).join(", ")))
if (haveStopped) await stopping
stage = "waiting for crashed pages"
await Promise.all(crashed)
stage = "comparing what is offered"

for (const sessionId of sessionIds) {
  await within("The server's set equals what is mounted", async () => {
    const offered = (await server.tools(sessionId)).map(({ name }) => name).sort()
    const expected: string[] = []
    for (const [place, page] of pages) {
      if (!place.startsWith(sessionId)) continue
      const mounted = page.mounted()
      if (!mounted) return "not every client serves"
      expected.push(...mounted)
    }
    const [extra, missing] = [offered.filter((name) => !expected.includes(name)), expected.filter((name) => !offered.includes(name))]
    return extra.length + missing.length === 0 ? undefined : `nobody mounted ${extra.join() || "others"}, and not offered is ${missing.join() || "none"}`
  })
}
measure()
if (ledger.violations.length > 0) for (const page of pages.values()) console.error(page.describe())

// Closed, nothing may be left.
stage = "closing pages"
await Promise.all([...pages.values()].map((page) => page.close()))
for (const sessionId of sessionIds) {
  const left = await server.tools(sessionId)
  if (left.length > 0) ledger.violated(`After all pages are closed, ${left.map(({ name }) => name).join()} is offered.`)
}
stage = "closing the observers"
observing.abort()
await Promise.all(observers)
stage = "closing the server"
await server.close()
stage = "closing the listener"
await served.close()
stage = "closing the agents' proxy"
await agentProxy.close()
if (serverClock.pending > 0 || serverClock.holds > 0) ledger.violated(`The server left ${serverClock.pending} timers behind.`)

const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1)
const half = Math.floor(heap.length / 2)
const median = (numbers: readonly number[]): number => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
const growth = median(heap.slice(half)) - median(heap.slice(Math.floor(half / 2), half))
if (growth > HEAP_GROWTH) ledger.violated(`The heap grew by ${megabytes(growth)} MB between the second quarter and the second half: ${heap.map(megabytes).join(" ")}`)

console.log(Object.entries(ledger.counts).sort(([a], [b]) => a.localeCompare(b)).map(([what, count]) => `  ${what}: ${count}`).join("\n"))
console.log(`  heap in MB: ${heap.map(megabytes).join(" ")}`)

clearTimeout(patience)
function report(): void {
  if (ledger.violations.length === 0) return console.log(`soak: all is well (seed ${seed})`)
  process.exitCode = 1
  console.error(`soak: ${ledger.violations.length} violations; play it again with --seconds ${seconds} --seed ${seed} --speed ${speed}`)
}
report()

setTimeout(() => {
  console.error(`soak: the process does not end by itself, held by ${process.getActiveResourcesInfo().join(", ")} (seed ${seed})`)
  process.exit(1)
}, EXIT_MS).unref()

import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { beforeAll, describe, expect, it } from "vitest"
import { createConsumer } from "./support/createConsumer.ts"
import { type Program, startProgram } from "./support/startProgram.ts"
import { startSession } from "./support/startSession.ts"

const WORKER = "examples/worker"
const PROGRAMS = "test/examples/programs"
const DATABASE_TOOLS = ["client__database__find_customer", "client__database__list_orders"]

let folder: string
beforeAll(() => {
  folder = createConsumer({ files: [WORKER, PROGRAMS] })
})

const start = (path: string, env?: NodeJS.ProcessEnv): Program => startProgram(join(folder, path), { ...(env && { env }) })

const unavailable = (): Response => Response.json({ error: { code: "unavailable", message: "Not now." } }, { status: 503 })

describe("examples/worker", () => {
  it("answers one call, deletes its client and exits by itself with code 0", async () => {
    const session = await startSession()
    const worker = start(`${WORKER}/worker.js`, session.env)
    await worker.printed(/waiting for a call/)
    expect(await session.toolNames()).toEqual(DATABASE_TOOLS)

    const outcome = await session.call("client__database__list_orders", { customer_id: "c1", limit: 1 })
    expect(outcome.is_error).toBe(false)
    expect(JSON.parse(outcome.text)).toEqual([{ id: "o4", customerId: "c1", item: "Desk lamp", euros: 49, date: "2030-03-02" }])

    expect(await worker.ended).toMatchObject({ code: 0, output: expect.stringContaining("Answered list_orders") })
    expect(await session.toolNames()).toEqual([])
    expect(session.requests.filter((request) => request.startsWith("DELETE"))).toHaveLength(1)
  })

  it("tells the model what was wrong with its call, which is an answer too", async () => {
    const session = await startSession()
    const worker = start(`${WORKER}/worker.js`, session.env)
    await worker.printed(/waiting for a call/)
    const outcome = await session.call("client__database__list_orders", { customer_id: "c9" })
    expect(outcome).toMatchObject({ is_error: true, text: 'No customer has the id "c9". Use find_customer.' })
    expect(await worker.ended).toMatchObject({ code: 0 })
  })

  it.skipIf(process.platform === "win32")("told to stop, deletes its client and exits with code 0", async () => {
    const session = await startSession()
    const worker = start(`${WORKER}/worker.js`, session.env)
    await worker.printed(/waiting for a call/)
    worker.signal("SIGTERM")
    expect(await worker.ended).toMatchObject({ code: 0, signal: null, output: expect.stringContaining("Stopped before a call") })
    expect(await session.toolNames()).toEqual([])
  })

  it("exits by itself with code 0 at its last line where it does not wait, although its client still serves", async () => {
    const session = await startSession()
    const program = start(`${WORKER}/withoutWaiting.js`, session.env)
    expect(await program.ended).toMatchObject({ code: 0, output: expect.stringContaining("Serving as database") })
    expect(await session.toolNames()).toEqual(DATABASE_TOOLS)
    expect(session.requests.filter((request) => /ping$|^DELETE/.test(request))).toEqual([])
  })

  it("ends with the reason when its token is not taken", async () => {
    const session = await startSession()
    const worker = start(`${WORKER}/worker.js`, { ...session.env, SESSION_TOKEN: "of-another-server" })
    expect(await worker.ended).toMatchObject({ code: 1, output: expect.stringContaining("token") })
  })

  it("says what it needs when the environment lacks it", async () => {
    const worker = start(`${WORKER}/worker.js`, { SERVER_URL: "http://127.0.0.1:1" })
    expect(await worker.ended).toMatchObject({ code: 1, output: expect.stringContaining("SESSION_TOKEN") })
  })

  it("has a server that prints the commands to try it with", async () => {
    const server = start(`${WORKER}/server.js`)
    const [, SERVER_URL = "", SESSION_ID = "", SESSION_TOKEN = ""] = await server.printed(/SERVER_URL=(\S+) SESSION_ID=(\S+) SESSION_TOKEN=(\S+) node worker\.js/)
    const [, url = "", authorization = "", type = "", body = ""] = await server.printed(/curl (\S+) -H "Authorization: ([^"]+)" -H "Content-Type: ([^"]+)" \\\n {2}-d '(.+)'/)
    const worker = start(`${WORKER}/worker.js`, { SERVER_URL, SESSION_ID, SESSION_TOKEN })
    await worker.printed(/waiting for a call/)
    const response = await fetch(url, { method: "POST", headers: { authorization, "content-type": type }, body })
    expect(await response.json()).toMatchObject({ is_error: false, text: expect.stringContaining("Ada Okafor") })
    expect(await worker.ended).toMatchObject({ code: 0 })
  })
})

describe("a Node process whose last line awaits `ready` is kept up until it settles", () => {
  const DOWN_MS = 1_200

  it("while the server does not listen yet", async () => {
    const session = await startSession()
    await session.goDown()
    const program = start(`${WORKER}/withoutWaiting.js`, session.env)
    await sleep(DOWN_MS)
    expect(program.hasEnded).toBe(false)
    await session.comeBack()
    expect(await program.ended).toMatchObject({ code: 0, output: expect.stringContaining("Serving as database") })
  })

  it.each([
    ["while the stream gets no answer", /events$/, "silent"],
    ["while the stream is refused for now", /events$/, "refusing"],
    ["while the registration is refused for now", /tool-clients$/, "refusing"],
  ])("%s", async (_, path, how) => {
    let isUp = false
    let up: Promise<void> | undefined
    const session = await startSession({
      intercept({ url }) {
        if (isUp || !path.test(url)) return undefined
        // From the first request on: a busy machine takes its time to start a program.
        up ??= sleep(DOWN_MS).then(() => {
          isUp = true
        })
        return how === "silent" ? up.then(unavailable) : unavailable()
      },
    })
    const program = start(`${WORKER}/withoutWaiting.js`, session.env)
    await expect.poll(() => isUp, { timeout: 30_000 }).toBe(true)
    expect(program.hasEnded).toBe(false)
    expect(await program.ended).toMatchObject({ code: 0, output: expect.stringContaining("Serving as database") })
  })
})

describe("a Node process with a tool client", () => {
  it("is kept up by a call until the server has taken its answer, then ends by itself", async () => {
    let refused = 0
    const session = await startSession({ intercept: ({ url }) => (/answers$/.test(url) && refused++ < 2 ? unavailable() : undefined) })
    const program = start(`${PROGRAMS}/endsDuringCall.js`, session.env)
    await program.printed(/ready/)
    expect(await session.call("client__job__slow")).toMatchObject({ text: "done", is_error: false })
    expect(refused).toBe(3)
    expect(await program.ended).toMatchObject({ code: 0 })
  })

  it("ends by itself while its stream is being tried again and pings are due", async () => {
    const session = await startSession()
    const program = start(`${PROGRAMS}/endsWhileReconnecting.js`, session.env)
    await program.printed(/ready/)
    await session.goDown()
    expect(await program.ended).toMatchObject({ code: 0 })
    await session.comeBack()
  })

  it("keeps answering while it holds itself up, over a lost stream too", async () => {
    const session = await startSession()
    const program = start(`${PROGRAMS}/holdsItselfUp.js`, session.env)
    await program.printed(/ready/)
    expect(await session.call("client__job__count")).toMatchObject({ text: "call 1" })
    await session.goDown()
    await program.printed(/reconnecting/)
    const across = session.call("client__job__count")
    await session.comeBack()
    expect(await across).toMatchObject({ text: "call 2" })
    expect(await session.call("client__job__count")).toMatchObject({ text: "call 3" })
    expect(program.hasEnded).toBe(false)
    program.signal("SIGTERM")
    expect(await program.ended).toMatchObject({ code: process.platform === "win32" ? null : 0 })
  })
})

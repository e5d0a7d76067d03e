// B1 of the requirements: whatever is lost on the way, and whoever takes whose place, no call runs twice.
import { afterEach, expect, test, vi } from "vitest"
import { drop, loseAnswer, refuse } from "./faults.ts"
import { stubPage } from "./pageEvents.ts"
import { createSessionClient } from "../../src/session/sessionClient.ts"
import type { ToolClient } from "../../src/toolClient/toolClient.ts"
import { API_KEY, createWorld, type Page } from "./world.ts"

afterEach(() => vi.unstubAllGlobals())

/** Never answers, and ignores its signal. */
const forever = () => new Promise<string>(() => {})

/** Deletes the client as soon as it is told that the server does not know it, and so before it is registered again. */
function deletedOnceLost(page: Page, client: ToolClient): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = client.subscribe(({ status }) => {
      if (status !== "joining") return
      stop()
      page.session.deleteToolClient(client).then(resolve, reject)
    })
  })
}

test("A client that lives for ever is deleted right after a false 404: it is deleted at the server, too.", async () => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving("web", { add: () => "done" }, { lifetime: { type: "never" } })
  world.proxy.next("update", refuse(404))
  const deleted = deletedOnceLost(page, client)
  client.addTool("other", world.tool())
  await deleted
  await world.quiet()
  expect(client.state.status).toBe("left")
  expect(await world.toolNames()).toEqual([])
})

test("A client is deleted right after a false 404, and made again: what it ran before an ack was taken does not run again.", async () => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving("web", { add: forever })
  world.proxy.next("ack", drop)
  const call = world.call("client__web__add")
  await world.quiet()
  world.proxy.next("update", refuse(404))
  const deleted = deletedOnceLost(page, client)
  client.addTool("other", world.tool())
  await deleted
  await page.serving()
  await world.pass(1_000)
  expect(world.executed).toHaveLength(1)
  expect(call.settled?.is_error).toBe(true)
})

test("A DELETE is answered by a false 404: it is asked once more, so that nothing stays for ever.", async () => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving("web", { add: () => "done" }, { lifetime: { type: "never" } })
  world.proxy.next("delete", refuse(404))
  await page.session.deleteToolClient(client)
  expect(world.proxy.of("delete").map(({ status }) => status)).toEqual([404, 204])
  expect(await world.toolNames()).toEqual([])
})

test("A DELETE is answered by a false 404, and by another, and the client is made again: what the old one ran is answered, and does not run again.", async () => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving("web", { add: forever })
  world.proxy.next("ack", drop)
  const call = world.call("client__web__add")
  await world.quiet()
  world.proxy.next("delete", refuse(404), refuse(404))
  const deleted = page.session.deleteToolClient(client)
  await page.serving()
  await deleted
  await world.pass(1_000)
  expect(world.executed).toHaveLength(1)
  expect(call.settled).toMatchObject({ is_error: true, text: expect.stringContaining("may have run") })
})

test("The answer to a registration is lost, its second try is refused, and the client is deleted: nothing of it stays.", async () => {
  const world = await createWorld()
  const page = world.open()
  const client = page.session.createToolClient("web", { lifetime: { type: "never" } })
  client.ready.catch(() => {})
  client.addTool("add", world.tool())
  world.proxy.next("register", loseAnswer, refuse(403))
  await world.within(5_000, () => client.state.status === "failed")
  expect(await world.toolNames()).toEqual(["client__web__add"])
  await page.session.deleteToolClient(client)
  expect(await world.toolNames()).toEqual([])
})

test("A session is closed while a DELETE is under way that fails: it is asked once more, so that nothing stays for ever.", async () => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving("web", { add: () => "done" }, { lifetime: { type: "never" } })
  world.proxy.next("delete", async (turn) => {
    await turn.park(new Promise<void>((resolve) => (release = resolve)))
    turn.drop()
  })
  let release = (): void => {}
  const deleted = page.session.deleteToolClient(client)
  await world.quiet()
  const closed = page.session.close()
  release()
  await expect(deleted).rejects.toMatchObject({ code: "network" })
  await closed
  expect(await world.toolNames()).toEqual([])
})

test("A session is closed and opened again in the same page, and its DELETE never arrives: what was begun does not run again.", async () => {
  const world = await createWorld()
  const token = await world.token()
  const sessions = createSessionClient({ baseUrl: world.proxy.url, clock: world.machine, getToken: () => token })
  const first = sessions.open(world.sessionId, { onError() {} })
  first.createToolClient("web").addTool("add", world.tool(forever))
  await world.quiet()
  world.proxy.next("ack", drop)
  world.proxy.next("delete", drop)
  const call = world.call("client__web__add")
  await world.quiet()
  await first.close()
  const second = sessions.open(world.sessionId)
  second.createToolClient("web").addTool("add", world.tool())
  await world.quiet()
  expect(world.executed).toHaveLength(1)
  expect(call.settled).toMatchObject({ is_error: true, text: expect.stringContaining("may have run") })
  await second.close()
})

test("A page is loaded again before an ack was taken: the new page answers the call that the old one began, and does not run it.", async () => {
  const events = stubPage()
  const world = await createWorld()
  const page = world.open()
  await page.serving("web", { add: forever })
  world.proxy.next("ack", drop)
  const call = world.call("client__web__add")
  await world.quiet()
  events.hidden(false)
  await world.quiet()
  await world.open().serving("web")
  await world.pass(1_000)
  expect(world.executed).toHaveLength(1)
  expect(call.settled).toMatchObject({ is_error: true, text: expect.stringContaining("may have run") })
})

test("A server restarts without its memory and the agent repeats its request: the page that has run the call answers it from its record.", async () => {
  const world = await createWorld()
  const page = world.open()
  const client = await page.serving("web", { add: () => `done ${world.executed.length}` })
  const ask = async (): Promise<unknown> => {
    const response = await world.server.fetch(
      new Request(`http://agent/v1/sessions/${world.sessionId}/tool-calls?wait=60`, {
        method: "POST",
        headers: { authorization: `Bearer ${API_KEY}`, "content-type": "application/json", "idempotency-key": "one" },
        body: JSON.stringify({ tool: "client__web__add" }),
      }),
    )
    return response.json()
  }
  const first = await ask()
  expect(first).toMatchObject({ text: "done 1" })
  await world.stop({ keepsMemory: false })
  await world.start()
  await world.within(60_000, () => client.state.status === "serving" && page.session.state.status === "open")
  expect(await ask()).toEqual(first)
  expect(world.executed).toHaveLength(1)
})

test("A page is loaded again twice, the second time before it is registered: the third page runs nothing of the first.", async () => {
  const stored = new Map<string, string>()
  const world = await createWorld()
  const first = stubPage(stored)
  await world.open().serving("web", { add: forever })
  world.proxy.next("ack", drop)
  const call = world.call("client__web__add")
  await world.quiet()
  first.hidden(false)
  await world.quiet()
  const second = stubPage(stored)
  world.proxy.next("stream", drop)
  const { session } = world.open()
  session.createToolClient("web").ready.catch(() => {})
  second.hidden(false)
  await world.quiet()
  stubPage(stored)
  const client = world.open().session.createToolClient("web")
  client.addTool("add", world.tool(forever))
  await world.within(60_000, () => client.state.status === "serving")
  await world.pass(1_000)
  await session.close()
  expect(world.executed).toHaveLength(1)
  expect(call.settled).toMatchObject({ is_error: true, text: expect.stringContaining("may have run") })
})

test("A tab goes back to a page that was kept: it does not run what the page in between has begun.", async () => {
  const stored = new Map<string, string>()
  const world = await createWorld()
  const first = stubPage(stored)
  await world.open().serving("web", { add: forever })
  first.hidden(true)
  await world.quiet()
  const second = stubPage(stored)
  await world.open().serving("web", { add: forever })
  world.proxy.next("ack", drop)
  const call = world.call("client__web__add")
  await world.quiet()
  second.hidden(true)
  await world.quiet()
  first.shown(true)
  await world.pass(1_000)
  expect(world.executed).toHaveLength(1)
  expect(call.settled).toMatchObject({ is_error: true, text: expect.stringContaining("may have run") })
})

test.each(["x".repeat(200), "\nabc", "é ü", ""])("What another script has left where the tab's id is kept (%j) is no id.", async (content) => {
  const world = await createWorld()
  const stored = new Map([[`react-tool-client:tab:${world.proxy.url}`, content]])
  const events = stubPage(stored)
  const client = await world.open().serving("web")
  expect(client.state.status).toBe("serving")
  events.hidden(false)
  expect([...stored.values()]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)])
})

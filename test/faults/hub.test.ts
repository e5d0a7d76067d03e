// Row 27 of the fault matrix: what goes wrong between a page and a hub.
import { expect, test } from "vitest"
import type { RawTool } from "../../src/tool/tool.ts"
import { createTestClient, until, untilStatus } from "../hub/support/client.ts"
import { callWeather, connectWeather, startHub } from "../hub/support/hub.ts"
import { startScriptedHub } from "../hub/support/scriptedHub.ts"

const connected = { message: "remote connected", remotename: "weather-service" }
const taken = { error: "remote 'weather-service' is already connected" }

const tool = (execute: RawTool["execute"]): RawTool => ({ description: "Tells the weather.", parameters: { type: "object" }, execute })

test('Row 27. "already connected" after a half-open socket: tried again with a back-off, then served under the same name.', async () => {
  const hub = await startScriptedHub()
  const { client, clock } = createTestClient(hub.url)
  const weather = client.createToolClient("weather-service")
  const socket = await hub.accept()
  const attempts: number[] = []
  for (const reply of [taken, taken, taken, connected]) {
    const asked = socket.reply("remote-connect", reply).then(() => attempts.push(clock.now()))
    // Nothing but the clock's own time brings the next attempt.
    for (let isAsked = false; !isAsked; ) {
      isAsked = await Promise.race([asked.then(() => true), new Promise<false>((resolve) => setTimeout(resolve, 5, false))])
      if (!isAsked) await clock.advance(50)
    }
  }
  await untilStatus(weather, "serving")
  expect(weather.state.name).toBe("weather-service")
  const gaps = attempts.slice(1).map((at, index) => at - attempts[index]!)
  for (const gap of gaps) expect(gap).toBeGreaterThan(0)
})

test("Row 27. A hub holds a half-open socket of the same page: its name is free for the page's next one, and its calls fail at once.", async () => {
  const { url, session } = await startHub()
  const halfOpen = await session()
  const weather = { ...connectWeather, body: { ...connectWeather.body, instance: "this page" } }
  await halfOpen.ask(weather)
  const caller = await session()
  const lost = caller.ask(callWeather)
  await halfOpen.nextWhere(({ action }) => action === "remote-call")
  const next = await session()
  expect(await next.ask(weather)).toMatchObject(connected)
  expect(await lost).toMatchObject({ error: expect.any(String) as string })
  expect(url).toContain("/ws")
})

test("Row 27. A result comes for a call of an older socket: it settles nothing, and the new call has its own.", async () => {
  const { session } = await startHub()
  const old = await session()
  const weather = { ...connectWeather, body: { ...connectWeather.body, instance: "this page" } }
  await old.ask(weather)
  const caller = await session()
  const lost = caller.ask(callWeather)
  const { requestId } = await old.nextWhere(({ action }) => action === "remote-call")
  const now = await session()
  await now.ask(weather)
  await lost
  const answered = caller.ask(callWeather)
  const call = await now.nextWhere(({ action }) => action === "remote-call")
  expect(call["requestId"]).not.toBe(requestId)
  old.send({ action: "remote-call-result", requestId, result: "of before" })
  old.send({ action: "remote-call-result", requestId: call["requestId"], result: "of another socket" })
  await old.ask({ action: "remote-list" })
  now.send({ action: "remote-call-result", requestId: call["requestId"], result: "of now" })
  expect(await answered).toMatchObject({ result: "of now" })
})

test("Row 27. The reply to a nonce never comes: the request times out, and the socket is kept.", async () => {
  const hub = await startScriptedHub()
  const { client, clock } = createTestClient(hub.url)
  const answered = client.call("weather-service", "get_forecast")
  answered.catch(() => {})
  const socket = await hub.accept()
  await socket.next("remote-call")
  for (let count = 0; count < 4; count++) {
    // The hub lives, and says so.
    await clock.advance(9_000)
    const listed = client.remotes()
    await socket.reply("remote-list", { remotes: [] })
    await listed
  }
  await expect(answered).rejects.toMatchObject({ code: "timeout" })
  const again = client.call("weather-service", "get_forecast")
  await socket.reply("remote-call", { result: "sunny" })
  expect(await again).toBe("sunny")
})

test("Row 27. Frames come interleaved, unknown and malformed: what is bad is reported, the socket is kept, and each reply finds its request.", async () => {
  const hub = await startScriptedHub()
  const { client, errors } = createTestClient(hub.url)
  const weather = client.createToolClient("weather-service")
  weather.addTool("get_forecast", tool(() => "sunny"))
  const socket = await hub.accept()
  await socket.reply("remote-connect", connected)
  await untilStatus(weather, "serving")
  const [first, second] = [client.call("a", "f"), client.call("b", "g")]
  const asked = [await socket.next("remote-call"), await socket.next("remote-call")]
  socket.send("not JSON {")
  socket.send("[1, 2]")
  socket.send(Buffer.from([0xff, 0x00]))
  socket.send({ action: "of a later version", body: {} })
  socket.send({ result: "of nobody", nonce: "unknown" })
  socket.send({ action: "remote-call", requestId: "weather-service#1", function: "get_forecast", args: {} })
  for (const { nonce, body } of asked.toReversed()) socket.send({ nonce, result: (body as { remotename: string }).remotename })
  expect(await Promise.all([first, second])).toEqual(["a", "b"])
  expect(await socket.next("remote-call-result")).toMatchObject({ requestId: "weather-service#1", result: "sunny" })
  await until(weather, (state): state is typeof state => state.calls[0]?.phase === "answered")
  expect(errors.length).toBeGreaterThanOrEqual(1)
  expect(errors.length).toBeLessThanOrEqual(3)
  expect(client.state.status).toBe("open")
})

import WebSocket from "ws"
import { describe, expect, it } from "vitest"
import { callWeather, connectWeather, FORECAST, startHub } from "./support/hub.ts"
import { openRawSession } from "./support/rawSession.ts"

const isCall = (frame: { readonly action?: unknown }): boolean => frame.action === "remote-call"

describe("a hub's session is one authenticated socket (docs/HUB-PROTOCOL.md, \"Authenticating\")", () => {
  it.each([{ token: "ada" }, { username: "ada", password: "right" }])("is opened by %j", async (body) => {
    const session = await (await startHub()).open()
    expect(await session.ask({ action: "authenticate", nonce: "a1", body })).toEqual({ message: "authenticated", nonce: "a1" })
  })

  it.each([{ token: "mallory" }, { username: "ada", password: "wrong" }])("is refused by an error for %j, and may try again", async (body) => {
    const session = await (await startHub()).open()
    expect(await session.ask({ action: "authenticate", nonce: "a1", body })).toEqual({ error: "authentication failed", nonce: "a1" })
    await session.authenticate()
  })

  it("takes no other action before", async () => {
    const session = await (await startHub()).open()
    expect(await session.ask({ action: "remote-list", nonce: "l1" })).toEqual({
      error: "not authenticated: the first action is authenticate",
      nonce: "l1",
    })
  })

  it("is closed when it has not authenticated within 10 s", async () => {
    const { clock, open } = await startHub()
    const session = await open()
    await clock.advance(9_999)
    expect(session.socket.readyState).toBe(WebSocket.OPEN)
    await clock.advance(1)
    expect(await session.closed).toBe(1008)
  })

  it("stays open for good once it has", async () => {
    const { clock, session } = await startHub()
    const ada = await session()
    await clock.advance(10_000)
    expect(await ada.ask({ action: "remote-list" })).toMatchObject({ remotes: [] })
  })

  it.each([[undefined, { error: "authentication failed" }], ["", undefined], [5, undefined], [{}, undefined]])("lets nobody in where authenticate gives %j", async (given, reply) => {
    const { open, log } = await startHub({ authenticate: (() => given) as never })
    const session = await open()
    if (reply) expect(await session.ask({ action: "authenticate", body: { token: "ada" } })).toMatchObject(reply)
    else {
      session.send({ action: "authenticate", nonce: "a", body: { token: "ada" } })
      await session.closed
      expect(log).toEqual(["The hub failed."])
    }
  })

  it("authenticates once", async () => {
    const ada = await (await startHub()).session()
    expect(await ada.ask({ action: "authenticate", body: { token: "bob" } })).toMatchObject({ error: "already authenticated" })
  })

  it("is closed to be tried again when the credentials cannot be checked", async () => {
    const { open, log } = await startHub({ authenticate: () => Promise.reject(new Error("the database is down")) })
    const session = await open()
    session.send({ action: "authenticate", nonce: "a", body: { token: "ada" } })
    expect(await session.closed).toBe(1011)
    expect(log).toEqual(["The hub failed."])
  })
})

describe("upgrades", () => {
  const refusal = (url: string, origin: string): Promise<number | undefined> =>
    new Promise((resolve) => {
      const socket = new WebSocket(url, { origin })
      socket.once("unexpected-response", (_request, response) => {
        resolve(response.statusCode)
        socket.terminate()
      })
      socket.once("open", () => {
        resolve(undefined)
        socket.terminate()
      })
      socket.on("error", () => {})
    })

  it("from pages of other origins are refused, of the hub's own host and of listed ones not", async () => {
    const { url } = await startHub({ allowedOrigins: ["https://app.example"] })
    expect(await refusal(url, "https://evil.example")).toBe(403)
    expect(await refusal(url, "https://app.example")).toBeUndefined()
    expect(await refusal(url, new URL(url).origin.replace("ws", "http"))).toBeUndefined()
  })

  it("without an origin go on to authenticate, since they are no browser's", async () => {
    await (await startHub()).session()
  })
})

describe("upstream actions, to the letter", () => {
  it("remote-connect is replied to, and told to every session of the user", async () => {
    const { session } = await startHub()
    const [ada, other] = [await session(), await session()]
    expect(await ada.ask({ ...connectWeather, nonce: "c1" })).toEqual({ message: "remote connected", remotename: "weather-service", nonce: "c1" })
    expect(await other.next()).toEqual({ action: "remote-connected", remotename: "weather-service" })
  })

  it("remote-connect of a name that is connected fails, also with another instance, or the same on the same socket", async () => {
    const { session } = await startHub()
    const [ada, other] = [await session(), await session()]
    const body = { ...connectWeather.body, instance: "i" }
    await ada.ask({ action: "remote-connect", body })
    const error = "remote 'weather-service' is already connected"
    expect(await other.ask({ ...connectWeather, nonce: "c2" })).toEqual({ error, nonce: "c2" })
    expect(await other.ask({ action: "remote-connect", nonce: "c3", body: { ...body, instance: "j" } })).toEqual({ error, nonce: "c3" })
    expect(await ada.ask({ action: "remote-connect", nonce: "c4", body })).toEqual({ error, nonce: "c4" })
  })

  it("remote-connect takes a name over from an older socket of the same instance, whose calls fail at once", async () => {
    const { session } = await startHub()
    const [older, newer, caller] = [await session(), await session(), await session()]
    const body = { ...connectWeather.body, instance: "i" }
    await older.ask({ action: "remote-connect", body })
    const failed = caller.ask({ ...callWeather, nonce: "k" })
    await older.nextWhere(isCall)
    expect(await newer.ask({ action: "remote-connect", nonce: "c", body })).toEqual({ message: "remote connected", remotename: "weather-service", nonce: "c" })
    expect(await failed).toEqual({ error: "remote 'weather-service' disconnected before it answered", nonce: "k" })
    // And not the other way round.
    expect(await older.ask({ action: "remote-connect", nonce: "c", body })).toEqual({ error: "remote 'weather-service' is already connected", nonce: "c" })
  })

  it("remote-disconnect is allowed from any session of the user, and told to all", async () => {
    const { session } = await startHub()
    const [ada, other] = [await session(), await session()]
    await ada.ask(connectWeather)
    expect(await other.ask({ action: "remote-disconnect", nonce: "d1", body: { remotename: "weather-service" } })).toEqual({
      message: "remote disconnected",
      remotename: "weather-service",
      nonce: "d1",
    })
    expect(await ada.nextWhere((frame) => frame.action === "remote-disconnected")).toEqual({ action: "remote-disconnected", remotename: "weather-service" })
  })

  it("remote-disconnect of an unknown name fails", async () => {
    const ada = await (await startHub()).session()
    expect(await ada.ask({ action: "remote-disconnect", nonce: "d", body: { remotename: "x" } })).toEqual({ error: "no connected remote named 'x'", nonce: "d" })
  })

  it("remote-list has one entry a function, with its remote's name", async () => {
    const { session } = await startHub()
    const [ada, other] = [await session(), await session()]
    await ada.ask(connectWeather)
    expect(await other.ask({ action: "remote-list", nonce: "l" })).toEqual({ remotes: [{ remotename: "weather-service", ...FORECAST }], nonce: "l" })
  })

  it("remote-update replaces the functions of a remote that this session serves, without an interruption", async () => {
    const { session } = await startHub()
    const [ada, other] = [await session(), await session()]
    await ada.ask(connectWeather)
    const pending = other.ask({ ...callWeather, nonce: "k" })
    const { requestId } = await ada.nextWhere(isCall)
    const body = { remotename: "weather-service", tools: [{ ...FORECAST, name: "get_wind" }] }
    expect(await ada.ask({ action: "remote-update", nonce: "u", body })).toEqual({ message: "remote updated", remotename: "weather-service", nonce: "u" })
    expect(await other.ask({ action: "remote-update", nonce: "u", body })).toEqual({ error: "no connected remote named 'weather-service'", nonce: "u" })
    ada.send({ action: "remote-call-result", requestId, result: 1 })
    expect(await pending).toEqual({ result: 1, nonce: "k" })
    expect(await other.ask({ ...callWeather, nonce: "k" })).toEqual({ error: "remote 'weather-service' has no function 'get_forecast'", nonce: "k" })
  })

  it("an unknown action fails by its name", async () => {
    const ada = await (await startHub()).session()
    expect(await ada.ask({ action: "remote-sing", nonce: "u" })).toEqual({ error: "unknown action 'remote-sing'", nonce: "u" })
  })
})

describe("calls", () => {
  it("make the round trip of the document", async () => {
    const { session } = await startHub()
    const [weather, caller] = [await session(), await session()]
    await weather.ask({ ...connectWeather, nonce: "c1" })
    const answered = caller.ask({ ...callWeather, nonce: "c2" })
    expect(await weather.nextWhere(isCall)).toEqual({
      action: "remote-call",
      requestId: "weather-service#0",
      function: "get_forecast",
      args: { city: "Rome" },
    })
    weather.send({ action: "remote-call-result", requestId: "weather-service#0", result: { forecast: "sunny", city: "Rome" } })
    expect(await answered).toEqual({ result: { forecast: "sunny", city: "Rome" }, nonce: "c2" })
  })

  it("fail with the error that the remote answered", async () => {
    const { session } = await startHub()
    const weather = await session()
    await weather.ask(connectWeather)
    const answered = weather.ask({ ...callWeather, nonce: "k" })
    weather.send({ action: "remote-call-result", requestId: (await weather.nextWhere(isCall)).requestId, error: "no such city" })
    expect(await answered).toEqual({ error: "no such city", nonce: "k" })
  })

  it("of a remote that is not connected fail", async () => {
    const ada = await (await startHub()).session()
    expect(await ada.ask({ ...callWeather, nonce: "k" })).toEqual({ error: "no connected remote named 'weather-service'", nonce: "k" })
  })

  it("that nobody answers within 30 s fail, and a late result settles nothing", async () => {
    const { session, clock } = await startHub()
    const [weather, caller] = [await session(), await session()]
    await weather.ask(connectWeather)
    const failed = caller.ask({ ...callWeather, nonce: "k" })
    const { requestId } = await weather.nextWhere(isCall)
    await clock.advance(30_000)
    expect(await failed).toEqual({ error: "remote 'weather-service' did not answer within 30 s", nonce: "k" })
    weather.send({ action: "remote-call-result", requestId, result: "late" })
    expect(await weather.ask({ action: "remote-list", nonce: "l" })).toMatchObject({ nonce: "l" })
    expect(await caller.ask({ action: "remote-list", nonce: "m" })).toMatchObject({ nonce: "m" })
  })

  it.each(["disconnects", "closes its socket"])("that wait when the remote %s fail at once", async (how) => {
    const { session } = await startHub()
    const [weather, caller] = [await session(), await session()]
    await weather.ask(connectWeather)
    const failed = caller.ask({ ...callWeather, nonce: "k" })
    await weather.nextWhere(isCall)
    if (how === "disconnects") weather.send({ action: "remote-disconnect", nonce: "d", body: { remotename: "weather-service" } })
    else weather.close()
    expect(await failed).toEqual({ error: "remote 'weather-service' disconnected before it answered", nonce: "k" })
  })

  it("are settled only by the session that serves the remote, and ids never come again", async () => {
    const { session } = await startHub()
    const [weather, other, bob] = [await session(), await session(), await session("bob")]
    await weather.ask(connectWeather)
    await bob.ask(connectWeather)
    const answered = other.ask({ ...callWeather, nonce: "k" })
    const { requestId } = await weather.nextWhere(isCall)
    for (const intruder of [other, bob]) intruder.send({ action: "remote-call-result", requestId, result: "stolen" })
    await bob.ask({ action: "remote-list" })
    weather.send({ action: "remote-call-result", requestId: "weather-service#999", result: "of nobody" })
    weather.send({ action: "remote-call-result", requestId, result: "mine" })
    expect(await answered).toEqual({ result: "mine", nonce: "k" })

    await weather.ask({ action: "remote-disconnect", body: { remotename: "weather-service" } })
    await weather.ask(connectWeather)
    void other.ask(callWeather)
    expect((await weather.nextWhere(isCall)).requestId).not.toBe(requestId)
  })
})

describe("users", () => {
  it("see, call, disconnect and hear only of their own remotes", async () => {
    const { session, hub } = await startHub()
    const [ada, bob] = [await session("ada"), await session("bob")]
    await ada.ask(connectWeather)
    expect(await bob.ask({ action: "remote-list" })).toMatchObject({ remotes: [] })
    expect(await bob.ask(callWeather)).toMatchObject({ error: "no connected remote named 'weather-service'" })
    expect(await bob.ask({ action: "remote-disconnect", body: { remotename: "weather-service" } })).toMatchObject({ error: expect.any(String) })
    // The same name is free for another user.
    expect(await bob.ask(connectWeather)).toMatchObject({ message: "remote connected" })
    expect(await bob.ask({ action: "remote-list" })).toMatchObject({ remotes: [{ remotename: "weather-service" }] })
    expect(hub.remotesOf("carol").list()).toEqual([])
  })
})

describe("odd frames never close the socket", () => {
  it.each([
    ["broken JSON", "{", { error: "the message is not JSON" }],
    ["a list", "[1]", { error: "the message must be a JSON object" }],
    ["null", "null", { error: "the message must be a JSON object" }],
    ["a binary frame", Buffer.from('{"action":"remote-list"}'), { error: "a message must be a text frame" }],
    ["no action", { nonce: "x" }, { error: "action must be a string", nonce: "x" }],
    ["an action of a wrong type", { action: 7, nonce: "x" }, { error: "action must be a string", nonce: "x" }],
    ["an action that objects have anyway", { action: "constructor", nonce: "x" }, { error: "unknown action 'constructor'", nonce: "x" }],
    ["no body", { action: "remote-connect", nonce: "x" }, { error: expect.stringContaining("remote-connect: body"), nonce: "x" }],
    ["a name of a wrong type", { action: "remote-disconnect", nonce: "x", body: { remotename: 1 } }, { error: expect.stringContaining("remote-disconnect: body.remotename"), nonce: "x" }],
    [
      "a function without parameters",
      { action: "remote-connect", nonce: "x", body: { remotename: "r", tools: [{ name: "f", description: "" }] } },
      { error: expect.stringContaining("remote-connect: body.tools.0.parameters"), nonce: "x" },
    ],
    [
      "a function that stands twice",
      { action: "remote-connect", nonce: "x", body: { remotename: "r", tools: [FORECAST, FORECAST] } },
      { error: expect.stringContaining("'get_forecast' stands twice"), nonce: "x" },
    ],
    ["depth", `${'{"a":'.repeat(200)}1${"}".repeat(200)}`, { error: "the message nests deeper than 128 levels" }],
  ])("%s is answered by an error", async (_what, frame, error) => {
    const ada = await (await startHub()).session()
    ada.send(frame)
    expect(await ada.next()).toEqual(error)
    expect(await ada.ask({ action: "remote-list" })).toMatchObject({ remotes: [] })
  })

  it("an action without a nonce is carried out, and its reply has none", async () => {
    const ada = await (await startHub()).session()
    ada.send(connectWeather)
    expect(await ada.nextWhere((frame) => "message" in frame)).toEqual({ message: "remote connected", remotename: "weather-service" })
  })

  it("a result of nothing is ignored, and one with neither result nor error fails its call", async () => {
    const { session } = await startHub()
    const weather = await session()
    weather.send({ action: "remote-call-result", requestId: "x#0" })
    await weather.ask(connectWeather)
    const failed = weather.ask({ ...callWeather, nonce: "k" })
    weather.send({ action: "remote-call-result", requestId: (await weather.nextWhere(isCall)).requestId })
    expect(await failed).toEqual({ error: "the remote answered with neither result nor error", nonce: "k" })
  })

  it("keys like __proto__ go through as they are", async () => {
    const { session } = await startHub()
    const weather = await session()
    await weather.ask(connectWeather)
    weather.send(`{"action":"remote-call","nonce":"k","body":{"remotename":"weather-service","function":"get_forecast","args":{"__proto__":{"a":1}}}}`)
    expect(JSON.stringify(await weather.nextWhere(isCall))).toContain('"args":{"__proto__":{"a":1}}')
  })

  it("a message over the limit ends its own socket only", async () => {
    const { session } = await startHub()
    const [ada, other] = [await session(), await session()]
    ada.send("x".repeat(1024 * 1024 + 1))
    expect(await ada.closed).toBe(1009)
    expect(await other.ask({ action: "remote-list" })).toMatchObject({ remotes: [] })
  })

  it("a flood of them is answered one by one", async () => {
    const ada = await (await startHub()).session()
    for (let count = 0; count < 2_000; count++) ada.send("{")
    expect(await ada.ask({ action: "remote-list", nonce: "last" })).toEqual({ remotes: [], nonce: "last" })
  })
})

describe("liveness", () => {
  it("ends a socket that answers no ping, and with it its remotes", async () => {
    const { session, clock } = await startHub()
    const [dead, ada] = [await session(), await session()]
    await dead.ask(connectWeather)
    dead.socket.pause()
    await clock.advance(15_000)
    await ada.ask({ action: "remote-list" })
    await clock.advance(15_000)
    expect(await ada.nextWhere((frame) => frame.action === "remote-disconnected")).toEqual({ action: "remote-disconnected", remotename: "weather-service" })
    dead.socket.terminate()
  })

  it("keeps one that answers", async () => {
    const { session, clock } = await startHub()
    const ada = await session()
    for (let count = 0; count < 10; count++) {
      const pinged = new Promise((resolve) => ada.socket.once("ping", resolve))
      await clock.advance(15_000)
      await pinged
      await ada.ask({ action: "remote-list" })
    }
  })
})

describe("a session that does not read", () => {
  it("gets no more calls, and nobody else waits for it", async () => {
    const { session } = await startHub()
    const [slow, caller] = [await session(), await session()]
    await slow.ask(connectWeather)
    slow.socket.pause()
    const args = { text: "x".repeat(900_000) }
    const call = { action: "remote-call", body: { remotename: "weather-service", function: "get_forecast", args } }
    for (let count = 0; count < 60; count++) caller.send({ ...call, nonce: `k${count}` })
    expect(await caller.nextWhere((frame) => "error" in frame)).toMatchObject({ error: "remote 'weather-service' does not read its messages" })
    slow.socket.terminate()
  })
})

describe("a hub whose user has more functions than a list may have", () => {
  const large = (name: string, kib: number) => ({ name, description: "x".repeat(kib * 1024), parameters: {} })

  it("refuses the remote that would make it so, and lists the others as before", async () => {
    const { session } = await startHub()
    const [one, other] = [await session(), await session()]
    expect(await one.ask({ action: "remote-connect", body: { remotename: "one", tools: [large("f", 900)] } })).toMatchObject({ message: "remote connected" })
    expect(await other.ask({ action: "remote-connect", body: { remotename: "other", tools: [large("g", 200)] } })).toMatchObject({
      error: expect.stringMatching(/^the functions of all your remotes would be \d+ bytes as a list, which may have 1047552: /),
    })
    expect(await other.ask({ action: "remote-connect", body: { remotename: "other", tools: [] } })).toMatchObject({ message: "remote connected" })
    expect(await other.ask({ action: "remote-update", body: { remotename: "other", tools: [large("g", 200)] } })).toMatchObject({ error: expect.stringContaining("as a list") })
    expect(await other.ask({ action: "remote-update", body: { remotename: "other", tools: [large("g", 100)] } })).toMatchObject({ message: "remote updated" })
    const { remotes } = (await one.ask({ action: "remote-list" })) as { remotes: { name: string }[] }
    expect(remotes.map(({ name }) => name)).toEqual(["f", "g"])
    // What goes in place of another is not counted with it.
    expect(await one.ask({ action: "remote-update", body: { remotename: "one", tools: [large("f", 899)] } })).toMatchObject({ message: "remote updated" })
  })
})

it("A hub is found at a path that is not of ASCII, however it was written.", async () => {
  const { hub, http, url } = await startHub()
  await hub.attach(http, "/größe")
  await expect(hub.attach(http, "/gr%C3%B6%C3%9Fe")).rejects.toThrow("attached to")
  for (const path of ["/größe", "/gr%C3%B6%C3%9Fe"]) await (await openRawSession(url.replace("/ws", path))).authenticate()
})

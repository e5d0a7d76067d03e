import { describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { type HubClient, RemoteError } from "../../src/hub/index.ts"
import { createDeferred } from "../../src/lib/deferred.ts"
import { createFakeClock } from "../../src/testing/fakeClock.ts"
import { createTestClient, forecastTool, until, untilStatus } from "./support/client.ts"
import { FORECAST, startHub } from "./support/hub.ts"
import { type ScriptedSocket, startScriptedHub } from "./support/scriptedHub.ts"

const sunny = forecastTool(({ city }) => ({ forecast: "sunny", city }))

/** A clock that somebody sets back by an hour; timers go on as they were. */
function createClockThatIsSet() {
  const clock = createFakeClock()
  let offset = 0
  return { clock: { ...clock, now: () => clock.now() + offset }, setBack: () => void (offset = -3_600_000) }
}

describe("a hub client and a hub", () => {
  it("serve a remote: listed, called by another session, its result a JSON value", async () => {
    const { url } = await startHub()
    const { client: page } = createTestClient(url)
    const { client: other } = createTestClient(url)
    const weather = page.createToolClient("weather-service")
    weather.addTool("get_forecast", sunny)
    await weather.ready
    expect(weather.state).toMatchObject({ status: "serving", name: "weather-service", tools: ["get_forecast"] })
    expect(await other.remotes()).toEqual([{ remotename: "weather-service", ...FORECAST, isLocal: false }])
    expect(await other.call("weather-service", "get_forecast", { city: "Rome" })).toEqual({ forecast: "sunny", city: "Rome" })
    expect(weather.state.calls).toMatchObject([{ phase: "answered", tool: "get_forecast" }])
  })

  it("send strings as strings, and an error answer as an error", async () => {
    const { url } = await startHub()
    const { client } = createTestClient(url)
    const weather = client.createToolClient("weather-service")
    weather.addTool("say", { description: "Says it.", parameters: { type: "object" }, execute: () => "17" })
    weather.addTool("fail", { description: "Fails.", parameters: { type: "object" }, execute: () => ({ text: "no such city", is_error: true }) })
    await weather.ready
    expect(await client.call("weather-service", "say")).toBe("17")
    await expect(client.call("weather-service", "fail")).rejects.toMatchObject({ name: "RemoteError", code: "failed", message: "no such city" })
  })

  it("tell failures apart by their code", async () => {
    const { url } = await startHub()
    const { client } = createTestClient(url)
    await expect(client.call("nobody", "f")).rejects.toMatchObject({ code: "not_connected", message: "no connected remote named 'nobody'", remotename: "nobody" })
    await client.createToolClient("weather-service").ready
    await expect(client.call("weather-service", "f")).rejects.toMatchObject({ code: "no_function" })
    await expect(client.call("weather-service", "f", { big: 1n })).rejects.toBeInstanceOf(RemoteError)
    await expect(client.call("weather-service", "f", "x".repeat(1024 * 1024))).rejects.toMatchObject({ code: "too_large" })
    let deep = {}
    for (let level = 0; level < 200; level++) deep = { deep }
    await expect(client.call("weather-service", "f", deep)).rejects.toMatchObject({ code: "too_large", message: expect.stringContaining("128 levels") })
    await expect(client.call("weather-service", "f", { at: [() => 1] })).rejects.toMatchObject({ code: "failed", message: expect.stringContaining("at[0]: function") })
    await expect(client.call("nobody", "f", {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" })
  })

  it("leave out of a list what is no function", async () => {
    const hub = await startScriptedHub()
    const { client } = createTestClient(hub.url)
    const listed = client.remotes()
    const socket = await hub.accept()
    await socket.reply("remote-list", { remotes: [null, 5, "x", {}, FORECAST] })
    expect(await listed).toEqual([{ ...FORECAST, isLocal: false }])
  })

  it("end for good when auth says that this person may not", async () => {
    const { url } = await startHub()
    const refuse = (): never => {
      throw Object.assign(new Error("signed out"), { code: "unauthorized" })
    }
    const { client } = createTestClient(url, { auth: refuse })
    await expect(client.remotes()).rejects.toMatchObject({ code: "closed", message: expect.stringContaining("signed out") })
    expect(client.state).toMatchObject({ status: "failed", error: { code: "unauthorized" } })
  })

  it("send a changed set as one update, without a name being absent", async () => {
    const { url, session } = await startHub()
    const { client } = createTestClient(url)
    const watcher = await session()
    const weather = client.createToolClient("weather-service")
    weather.addTool("get_forecast", sunny)
    await weather.ready
    weather.addTool("get_wind", sunny)
    weather.removeTool("get_forecast")
    await until(weather, (state): state is typeof state => state.tools.includes("get_wind"))
    expect(await watcher.ask({ action: "remote-list", nonce: "l" })).toMatchObject({ remotes: [{ name: "get_wind" }] })
    expect((await watcher.next()).action).toBe("remote-connected")
    expect((await watcher.next()).action).toBe("remote-updated")
  })

  it("disconnect the remote when its client is deleted", async () => {
    const { url } = await startHub()
    const { client } = createTestClient(url)
    const weather = client.createToolClient("weather-service")
    weather.addTool("get_forecast", sunny)
    await weather.ready
    await client.deleteToolClient(weather)
    expect(weather.state.status).toBe("left")
    expect(await client.remotes()).toEqual([])
  })

  it("let a remote that another session disconnected leave, without a fight", async () => {
    const { url, session } = await startHub()
    const { client, errors } = createTestClient(url)
    const weather = client.createToolClient("weather-service")
    weather.addTool("get_forecast", sunny)
    await weather.ready
    const other = await session()
    await other.ask({ action: "remote-disconnect", body: { remotename: "weather-service" } })
    await untilStatus(weather, "left")
    expect(await client.remotes()).toEqual([])
    expect(errors).toEqual([])
    // The page may offer it anew.
    const again = client.createToolClient("weather-service")
    await again.ready
  })

  it("hear the same events", async () => {
    const { url } = await startHub()
    const { client } = createTestClient(url)
    const events: unknown[] = []
    client.onEvent((event) => events.push(event))
    const weather = client.createToolClient("weather-service")
    await weather.ready
    await client.deleteToolClient(weather)
    expect(events).toEqual([
      { action: "remote-connected", remotename: "weather-service" },
      { action: "remote-disconnected", remotename: "weather-service" },
    ])
  })

  it("refuse a name that this very page serves at once", async () => {
    const { url } = await startHub()
    const { client } = createTestClient(url)
    await client.createToolClient("weather-service").ready
    const second = client.createToolClient("weather-service")
    await expect(second.ready).rejects.toMatchObject({ code: "already_connected" })
    expect(second.state.status).toBe("failed")
  })

  it("fail a remote that is made after the credentials were refused, too", async () => {
    const { url } = await startHub()
    const { client } = createTestClient(url, { auth: { token: "mallory" } })
    await client.createToolClient("weather-service").ready.catch(() => {})
    const late = client.createToolClient("late")
    await expect(late.ready).rejects.toMatchObject({ code: "unauthorized" })
    expect(late.state.status).toBe("failed")
  })

  it("fail the session for good when the credentials are refused", async () => {
    const { url } = await startHub()
    const { client } = createTestClient(url, { auth: { token: "mallory" } })
    const weather = client.createToolClient("weather-service")
    await expect(weather.ready).rejects.toMatchObject({ message: expect.stringContaining("authentication failed") })
    expect(client.state).toMatchObject({ status: "failed", error: { code: "unauthorized" } })
    await expect(client.call("weather-service", "f")).rejects.toMatchObject({ code: "closed" })
  })

  it("ask for credentials anew where they come from a function, once", async () => {
    const { url } = await startHub()
    const tokens = ["mallory", "ada"]
    const { client, clock } = createTestClient(url, { auth: () => ({ token: tokens.shift() ?? "mallory" }) })
    client.subscribe(() => {})
    await untilStatus(client, "reconnecting")
    await clock.advance(500)
    await untilStatus(client, "open")
  })

  it("begin anew by retry() after they failed, with every remote", async () => {
    const { url } = await startHub()
    const tokens = ["mallory", "mallory", "ada"]
    const { client, clock } = createTestClient(url, { auth: () => ({ token: tokens.shift() ?? "mallory" }) })
    const weather = client.createToolClient("weather-service")
    weather.addTool("get_forecast", sunny)
    await untilStatus(client, "reconnecting")
    await clock.advance(500)
    await untilStatus(client, "failed")
    expect(weather.state.status).toBe("failed")
    client.retry()
    await untilStatus(weather, "serving")
    expect(await client.call("weather-service", "get_forecast", { city: "Rome" })).toEqual({ forecast: "sunny", city: "Rome" })
  })

  it("hold a message over the limit back: the call is answered with an error instead", async () => {
    const { url } = await startHub()
    const { client } = createTestClient(url)
    const weather = client.createToolClient("weather-service")
    weather.addTool("much", { description: "Much.", parameters: { type: "object" }, maxResultBytes: 4 * 1024 * 1024, execute: () => "x".repeat(2 * 1024 * 1024) })
    await weather.ready
    await expect(client.call("weather-service", "much")).rejects.toMatchObject({ message: expect.stringContaining("too large for the server") })
    expect(client.state.status).toBe("open")
  })
})

describe("what a hub client sends, to the letter", () => {
  const nonce = expect.stringMatching(/^[0-9a-f]{32}$/)

  it("is every action of the document with its body", async () => {
    const hub = await startScriptedHub()
    const { client } = createTestClient(hub.url)
    const weather = client.createToolClient("weather-service")
    weather.addTool("get_forecast", { ...sunny, title: "Forecast", annotations: { readOnlyHint: true } })
    const socket = await hub.accept()
    expect(await socket.reply("remote-connect", { message: "remote connected", remotename: "weather-service" })).toEqual({
      action: "remote-connect",
      nonce,
      body: { remotename: "weather-service", tools: [FORECAST], instance: expect.stringMatching(/:weather-service:0$/) },
    })
    await weather.ready

    const listed = client.remotes()
    expect(await socket.reply("remote-list", { remotes: [{ ...FORECAST, remotename: "r" }] })).toEqual({ action: "remote-list", nonce })
    expect(await listed).toEqual([{ ...FORECAST, remotename: "r", isLocal: false }])

    const called = client.call("r", "get_forecast", { city: "Rome" })
    expect(await socket.reply("remote-call", { result: { forecast: "sunny" } })).toEqual({
      action: "remote-call",
      nonce,
      body: { remotename: "r", function: "get_forecast", args: { city: "Rome" } },
    })
    expect(await called).toEqual({ forecast: "sunny" })

    const body = { agentId: 7, instruction: "Hello.", options: { remotes: ["r", { name: "s", prefix: "s_" }] } }
    const prompted = client.prompt(body)
    expect(await socket.reply("send-agent-prompt", { result: "Hi." })).toEqual({ action: "send-agent-prompt", nonce, body })
    expect(await prompted).toBe("Hi.")

    socket.send({ action: "remote-call", requestId: "weather-service#0", function: "get_forecast", args: { city: "Rome" } })
    expect(await socket.next("remote-call-result")).toEqual({
      action: "remote-call-result",
      requestId: "weather-service#0",
      result: { forecast: "sunny", city: "Rome" },
    })
    socket.send({ action: "remote-call", requestId: "weather-service#1", function: "get_wind", args: {} })
    expect(await socket.next("remote-call-result")).toEqual({
      action: "remote-call-result",
      requestId: "weather-service#1",
      error: 'There is no tool "get_wind" here (any more). Offered now: get_forecast.',
    })

    weather.addTool("get_wind", sunny)
    expect(await socket.reply("remote-update", { message: "remote updated", remotename: "weather-service" })).toEqual({
      action: "remote-update",
      nonce,
      body: { remotename: "weather-service", tools: [FORECAST, { ...FORECAST, name: "get_wind" }] },
    })
    const left = client.deleteToolClient(weather)
    expect(await socket.reply("remote-disconnect", { message: "remote disconnected", remotename: "weather-service" })).toEqual({
      action: "remote-disconnect",
      nonce,
      body: { remotename: "weather-service" },
    })
    await left
  })

  it("is the error of a prompt, too, as a RemoteError", async () => {
    const hub = await startScriptedHub()
    const { client } = createTestClient(hub.url)
    const prompted = client.prompt({ agentId: 7, instruction: "Hello." })
    prompted.catch(() => {})
    await (await hub.accept()).reply("send-agent-prompt", { error: "no agent with the id '7'" })
    await expect(prompted).rejects.toMatchObject({ code: "failed", message: "no agent with the id '7'" })
  })

  it("matches replies by their nonce, in whatever order they come", async () => {
    const hub = await startScriptedHub()
    const { client } = createTestClient(hub.url)
    const calls = [client.call("r", "first"), client.call("r", "second")]
    const socket = await hub.accept()
    const [one, two] = [await socket.next("remote-call"), await socket.next("remote-call")]
    const reply = ({ nonce: of, body }: typeof one) => socket.send({ result: (body as { function: string }).function, nonce: of })
    reply(two)
    reply(one)
    expect(await Promise.all(calls)).toEqual(["first", "second"])
  })

  it("is an answer to each call of a flood", async () => {
    const hub = await startScriptedHub()
    const { client } = createTestClient(hub.url)
    const weather = client.createToolClient("weather-service")
    weather.addTool("get_forecast", sunny)
    const socket = await hub.accept()
    await socket.reply("remote-connect", { message: "remote connected", remotename: "weather-service" })
    await weather.ready
    const ids = Array.from({ length: 500 }, (_, count) => `weather-service#${count}`)
    for (const requestId of ids) socket.send({ action: "remote-call", requestId, function: "get_forecast", args: { city: "Rome" } })
    const answered: unknown[] = []
    while (answered.length < ids.length) answered.push((await socket.next("remote-call-result")).requestId)
    expect(new Set(answered)).toEqual(new Set(ids))
  })
})

describe("a lost socket", () => {
  it("is replaced, and the remote connected again under the same name and instance", async () => {
    const hub = await startScriptedHub()
    const { client, clock } = createTestClient(hub.url)
    const weather = client.createToolClient("weather-service")
    weather.addTool("get_forecast", sunny)
    const first = await hub.accept()
    const { body } = await first.reply("remote-connect", { message: "remote connected", remotename: "weather-service" })
    await weather.ready
    first.socket.terminate()
    await untilStatus(client, "reconnecting")
    expect(weather.state).toMatchObject({ status: "joining", tools: [] })
    await clock.advance(500)
    const second = await hub.accept()
    expect((await second.reply("remote-connect", { message: "remote connected", remotename: "weather-service" })).body).toEqual(body)
    await untilStatus(weather, "serving")
  })

  it("takes the place of one over which a remote's connect was never replied to", async () => {
    const hub = await startScriptedHub()
    const { client, clock } = createTestClient(hub.url)
    const weather = client.createToolClient("weather-service")
    const first = await hub.accept()
    await first.next("remote-connect")
    await clock.advance(10_000)
    await clock.advance(500)
    const second = await hub.accept()
    await second.reply("remote-connect", { message: "remote connected", remotename: "weather-service" })
    await untilStatus(weather, "serving")
    expect(await first.closed).toBe(1000)
  })

  it("ends its calls: the tool is aborted, its result dropped, and the same requestId later is another call", async () => {
    const hub = await startScriptedHub()
    const { client, clock } = createTestClient(hub.url)
    const weather = client.createToolClient("weather-service")
    const aborted: boolean[] = []
    let finish: (text: string) => void = () => {}
    weather.addTool("slow", {
      description: "Slow.",
      parameters: { type: "object" },
      execute: (_args, call) =>
        new Promise<string>((resolve) => {
          finish = resolve
          call.signal.addEventListener("abort", () => aborted.push(true))
        }),
    })
    const connected = { message: "remote connected", remotename: "weather-service" }
    const first = await hub.accept()
    await first.reply("remote-connect", connected)
    const call = { action: "remote-call", requestId: "weather-service#0", function: "slow", args: {} }
    first.send(call)
    await until(weather, (state): state is typeof state => state.calls[0]?.phase === "running")
    first.socket.terminate()
    await until(weather, (state): state is typeof state => state.calls[0]?.phase === "failed")
    expect(aborted).toEqual([true])
    finish("late")
    await clock.advance(500)
    const second = await hub.accept()
    await second.reply("remote-connect", connected)
    second.send(call)
    await until(weather, (state): state is typeof state => state.calls[1]?.phase === "running")
    finish("now")
    expect(await second.next("remote-call-result")).toEqual({ action: "remote-call-result", requestId: "weather-service#0", result: "now" })
    expect(second.untaken).toEqual([])
  })

  it("fails what was asked over it, and sends nothing twice", async () => {
    const hub = await startScriptedHub()
    const { client, clock } = createTestClient(hub.url)
    const answered = client.call("weather-service", "get_forecast")
    const first = await hub.accept()
    await first.next("remote-call")
    first.socket.terminate()
    await expect(answered).rejects.toMatchObject({ code: "connection_lost" })
    await clock.advance(500)
    expect((await hub.accept()).untaken).toEqual([])
  })

  it("is replaced before a list that was asked for is given up: it is asked for again over the next", async () => {
    const hub = await startScriptedHub()
    const { client, clock } = createTestClient(hub.url)
    const listed = client.remotes()
    const first = await hub.accept()
    await first.next("remote-list")
    first.socket.terminate()
    await untilStatus(client, "reconnecting")
    await clock.advance(500)
    await (await hub.accept()).reply("remote-list", { remotes: [FORECAST] })
    expect(await listed).toEqual([{ ...FORECAST, isLocal: false }])
  })

  it("is waited for by a list for 35 s, and then it is told that the hub was not connected", async () => {
    const { client, clock } = createTestClient("ws://127.0.0.1:1/ws")
    let error: unknown
    client.remotes().catch((thrown: unknown) => (error = thrown))
    await clock.advance(34_999)
    expect(error).toBeUndefined()
    await clock.advance(1)
    expect(error).toMatchObject({ name: "RemoteError", code: "timeout", message: expect.stringMatching(/^The hub was not connected in time for "remote-list". The .* to the hub .* (did not|was not) open/) })
  })

  it("that is silent is found as soon where the clock was set back meanwhile", async () => {
    const hub = await startScriptedHub()
    const { clock, setBack } = createClockThatIsSet()
    const { client } = createTestClient(hub.url, { clock })
    client.subscribe(() => {})
    const socket = await hub.accept()
    await untilStatus(client, "open")
    setBack()
    // One look of the old time, and one of the new.
    await clock.advance(20_000)
    await clock.advance(20_000)
    await socket.next("remote-list")
  })

  it("that is silent is found by a list asked for after 20 s, and replaced 10 s later", async () => {
    const hub = await startScriptedHub()
    const { client, clock } = createTestClient(hub.url)
    client.subscribe(() => {})
    const first = await hub.accept()
    await untilStatus(client, "open")
    await clock.advance(20_000)
    await first.reply("remote-list", { remotes: [] })
    await client.remotes({ signal: AbortSignal.abort() }).catch(() => {})
    expect(client.state.status).toBe("open")
  })

  it("that answers the list no more is replaced", async () => {
    const hub = await startScriptedHub()
    const { client, clock } = createTestClient(hub.url)
    client.subscribe(() => {})
    const first = await hub.accept()
    await untilStatus(client, "open")
    await clock.advance(20_000)
    await first.next("remote-list")
    await clock.advance(10_000)
    expect(client.state).toMatchObject({ status: "reconnecting", error: { message: "The hub was silent for 30 s." } })
    await clock.advance(500)
    await hub.accept()
    await untilStatus(client, "open")
  })
})

describe("a half-open socket", () => {
  /** The first one goes deaf when told to, and does not get its close through. */
  class HalfOpen extends WebSocket {
    static sockets: HalfOpen[] = []
    isDeaf = false
    constructor(url: string) {
      super(url)
      HalfOpen.sockets.push(this)
    }
    override close(...args: [code?: number, reason?: string]): void {
      if (!this.isDeaf) super.close(...args)
    }
  }

  it("loses its names to the page's next socket, by their instance", async () => {
    const { url, session, hub } = await startHub()
    HalfOpen.sockets = []
    const { client, clock } = createTestClient(url, { WebSocket: HalfOpen })
    const weather = client.createToolClient("weather-service")
    weather.addTool("get_forecast", sunny)
    await weather.ready
    const [dead] = HalfOpen.sockets
    if (!dead) throw new Error("No socket was opened.")
    dead.isDeaf = true
    dead.pause()
    const caller = await session()
    const failed = caller.ask({ action: "remote-call", nonce: "k", body: { remotename: "weather-service", function: "get_forecast", args: {} } })

    await clock.advance(30_000)
    await untilStatus(client, "reconnecting")
    expect(hub.remotesOf("ada").list()).toHaveLength(1)
    await clock.advance(500)
    await untilStatus(weather, "serving")
    expect(await failed).toEqual({ error: "remote 'weather-service' disconnected before it answered", nonce: "k" })
    expect(await client.call("weather-service", "get_forecast", { city: "Rome" })).toEqual({ forecast: "sunny", city: "Rome" })
    dead.terminate()
  })
})

describe("a name that is held by another socket", () => {
  const taken = { error: "remote 'weather-service' is already connected" }

  it("is tried again for 35 s, then the client has failed", async () => {
    const hub = await startScriptedHub()
    const { client, clock } = createTestClient(hub.url)
    const weather = client.createToolClient("weather-service")
    const socket = await hub.accept()
    let attempts = 0
    const replyAlways = async (action: string, reply: object): Promise<never> => {
      for (;;) {
        await socket.reply(action, reply)
        if (action === "remote-connect") attempts++
      }
    }
    void replyAlways("remote-connect", taken)
    void replyAlways("remote-list", { remotes: [] })
    // Asking for the list takes a turn over the socket, so what was under way is through.
    for (let second = 0; second < 35; second++) {
      await client.remotes()
      expect(weather.state.status).toBe("joining")
      await clock.advance(1_000)
    }
    await untilStatus(weather, "failed")
    expect(weather.state).toMatchObject({ status: "failed", error: { code: "already_connected", message: taken.error } })
    await expect(weather.ready).rejects.toMatchObject({ code: "already_connected" })
    expect(attempts).toBeGreaterThan(5)
  })

  it("is given up after 35 s, whatever becomes of the clock", async () => {
    const { url, session } = await startHub()
    await (await session()).ask({ action: "remote-connect", body: { remotename: "weather-service", tools: [] } })
    const { clock, setBack } = createClockThatIsSet()
    const { client } = createTestClient(url, { clock })
    const weather = client.createToolClient("weather-service")
    weather.ready.catch(() => {})
    await client.remotes()
    setBack()
    for (let seconds = 0; seconds < 35; seconds += 5) {
      await client.remotes()
      await clock.advance(5_000)
    }
    await client.remotes()
    await untilStatus(weather, "failed")
  })

  it("is had as soon as the hub tells that it is free", async () => {
    const hub = await startScriptedHub()
    const { client } = createTestClient(hub.url)
    const weather = client.createToolClient("weather-service")
    const socket = await hub.accept()
    await socket.reply("remote-connect", taken)
    const listed = client.remotes()
    await socket.reply("remote-list", { remotes: [] })
    await listed
    socket.send({ action: "remote-disconnected", remotename: "weather-service" })
    await socket.reply("remote-connect", { message: "remote connected", remotename: "weather-service" })
    await weather.ready
  })
})

describe("a name that another tab serves", () => {
  /** Two tabs that want one name, the second of which has been told that the first has it. */
  async function startTwo() {
    const { url } = await startHub()
    const [first, second] = [createTestClient(url), createTestClient(url)]
    await first.client.createToolClient("weather-service").ready
    const waiting = second.client.createToolClient("weather-service")
    waiting.addTool("get_forecast", sunny)
    waiting.ready.catch(() => {})
    while (waiting.state.status === "joining") {
      await second.client.remotes()
      await second.clock.advance(5_000)
    }
    expect(waiting.state).toMatchObject({ status: "failed", error: { code: "already_connected" } })
    return { url, first, second, waiting }
  }

  /** What was under way over the tab's socket is through. */
  const settled = async ({ client }: { readonly client: HubClient }): Promise<void> => void (await client.remotes())

  it("goes to the second one when the first has gone, which it leaves 5 s to come back", async () => {
    const { first, second, waiting } = await startTwo()
    await first.client.close()
    await settled(second)
    await second.clock.advance(4_999)
    await settled(second)
    expect(waiting.state.status).toBe("failed")
    await second.clock.advance(1_001)
    await untilStatus(waiting, "serving")
    await waiting.ready
    expect(waiting.state).toMatchObject({ name: "weather-service", tools: ["get_forecast"] })
    expect(second.errors.filter((error) => (error as RemoteError).code !== "already_connected")).toEqual([])
  })

  it("is the first one's again after its reload, and nothing is asked of the hub meanwhile", async () => {
    const { url, first, second, waiting } = await startTwo()
    await first.client.close()
    await settled(second)
    await second.clock.advance(2_000)
    const { client: reloaded } = createTestClient(url)
    await reloaded.createToolClient("weather-service").ready
    await settled(second)
    const seen: string[] = []
    waiting.subscribe(({ status }) => seen.push(status))
    await second.clock.advance(120_000)
    await settled(second)
    expect(seen).toEqual([])
  })

  /** A tab that has been told that another has the name. */
  async function startRefused() {
    const hub = await startScriptedHub()
    const { client, clock } = createTestClient(hub.url)
    const weather = client.createToolClient("weather-service")
    weather.ready.catch(() => {})
    const seen = { connects: 0 }
    const refuseAll = async (socket: ScriptedSocket): Promise<void> => {
      const replyAlways = async (action: string, reply: object): Promise<never> => {
        for (;;) {
          await socket.reply(action, reply)
          if (action === "remote-connect") seen.connects++
        }
      }
      void replyAlways("remote-connect", { error: "remote 'weather-service' is already connected" })
      void replyAlways("remote-list", { remotes: [] })
    }
    const socket = await hub.accept()
    void refuseAll(socket)
    while (weather.state.status === "joining") {
      await client.remotes()
      await clock.advance(5_000)
    }
    return { hub, client, clock, weather, socket, seen, refuseAll }
  }

  it("is tried once after a lost socket, since nobody could say meanwhile that it is free", async () => {
    const { hub, client, clock, weather, socket, seen, refuseAll } = await startRefused()
    const before = seen.connects
    socket.socket.terminate()
    await untilStatus(client, "reconnecting")
    await clock.advance(500)
    const next = await hub.accept()
    void refuseAll(next)
    await client.remotes()
    expect(seen.connects).toBe(before)
    await clock.advance(6_000)
    await untilStatus(weather, "failed")
    await client.remotes()
    await clock.advance(60_000)
    await client.remotes()
    expect(seen.connects).toBe(before + 1)
  })

  it("is tried at once when somebody asks for that", async () => {
    const { client, weather, seen } = await startRefused()
    const before = seen.connects
    client.retry()
    expect(weather.state.status).toBe("joining")
    await untilStatus(weather, "failed")
    await client.remotes()
    expect(seen.connects).toBe(before + 1)
  })

  it("is not taken over while it is served: a try that comes too late is told at once, without another patience", async () => {
    const { client, clock, weather, socket, seen } = await startRefused()
    const before = seen.connects
    for (let minute = 1; minute <= 3; minute++) {
      socket.send({ action: "remote-disconnected", remotename: "weather-service" })
      await client.remotes()
      await clock.advance(6_000)
      await untilStatus(weather, "failed")
      await client.remotes()
      await clock.advance(54_000)
      await client.remotes()
      expect(seen.connects).toBe(before + minute)
    }
  })

  it("goes to the page's own next tool client of that name, too", async () => {
    const { url } = await startHub()
    const { client, clock } = createTestClient(url)
    const [first, second] = [client.createToolClient("weather-service"), client.createToolClient("weather-service")]
    await first.ready
    await expect(second.ready).rejects.toMatchObject({ code: "already_connected" })
    await client.deleteToolClient(first)
    await client.remotes()
    await clock.advance(6_000)
    await untilStatus(second, "serving")
    await client.deleteToolClient(second)
  })
})

describe("a hub without remote-update", () => {
  const connected = { message: "remote connected", remotename: "weather-service" }

  it("gets disconnect and connect back to back, and no remote-update again", async () => {
    const hub = await startScriptedHub()
    const { client } = createTestClient(hub.url)
    const weather = client.createToolClient("weather-service")
    const socket = await hub.accept()
    await socket.reply("remote-connect", connected)
    await weather.ready
    for (const name of ["one", "two"]) {
      weather.addTool(name, sunny)
      if (name === "one") await socket.reply("remote-update", { error: "no such action" })
      const disconnect = await socket.next("remote-disconnect")
      const connect = await socket.next("remote-connect")
      socket.send({ message: "remote disconnected", remotename: "weather-service", nonce: disconnect.nonce })
      // What the hub broadcasts of our own disconnect is no other session's.
      socket.send({ action: "remote-disconnected", remotename: "weather-service" })
      socket.send({ ...connected, nonce: connect.nonce })
      await until(weather, (state): state is typeof state => state.tools.includes(name))
    }
    expect(weather.state).toMatchObject({ status: "serving", tools: ["one", "two"] })
    expect(socket.untaken).toEqual([])
  })

  it("is not disconnected while a call of the remote runs", async () => {
    const hub = await startScriptedHub()
    const { client } = createTestClient(hub.url)
    const weather = client.createToolClient("weather-service")
    let finish: (text: string) => void = () => {}
    weather.addTool("slow", { description: "Slow.", parameters: { type: "object" }, execute: () => new Promise<string>((resolve) => (finish = resolve)) })
    const socket = await hub.accept()
    await socket.reply("remote-connect", connected)
    await weather.ready
    socket.send({ action: "remote-call", requestId: "weather-service#0", function: "slow", args: {} })
    await until(weather, (state): state is typeof state => state.calls[0]?.phase === "running")
    weather.addTool("one", sunny)
    await socket.reply("remote-update", { error: "no such action" })
    finish("done")
    expect(await socket.next("remote-call-result")).toMatchObject({ result: "done" })
    await socket.next("remote-disconnect")
    await socket.next("remote-connect")
  })
})

describe("a remote that is shared again while its disconnect is on its way", () => {
  const connected = { message: "remote connected", remotename: "weather-service" }

  const leaving = async () => {
    const hub = await startScriptedHub()
    const { client } = createTestClient(hub.url)
    const first = client.shareToolClient("weather-service")
    first.client.addTool("get_forecast", sunny)
    const socket = await hub.accept()
    await socket.reply("remote-connect", connected)
    await first.client.ready
    first.release()
    const disconnect = await socket.next("remote-disconnect")
    const { client: weather } = client.shareToolClient("weather-service")
    return { socket, weather, answer: (body: object) => socket.send({ ...body, nonce: disconnect["nonce"] }) }
  }

  it("is connected again when that was done", async () => {
    const { socket, weather, answer } = await leaving()
    answer({ message: "remote disconnected", remotename: "weather-service" })
    await socket.reply("remote-connect", connected)
    await untilStatus(weather, "serving")
  })

  it("stays when that was refused, with its functions said again", async () => {
    const { socket, weather, answer } = await leaving()
    answer({ error: "not now" })
    expect(await socket.reply("remote-update", { message: "remote updated", remotename: "weather-service" })).toMatchObject({ body: { tools: [FORECAST] } })
    await untilStatus(weather, "serving")
    socket.send({ action: "remote-call", requestId: "weather-service#0", function: "get_forecast", args: { city: "Rome" } })
    expect(await socket.next("remote-call-result")).toMatchObject({ result: { forecast: "sunny", city: "Rome" } })
  })
})

describe("a call that changes the functions of a remote", () => {
  const connected = { message: "remote connected", remotename: "weather-service" }
  const call = (count: number) => ({ action: "remote-call", requestId: `weather-service#${count}`, function: "add", args: {} })

  const serve = async () => {
    const hub = await startScriptedHub()
    const { client } = createTestClient(hub.url)
    const weather = client.createToolClient("weather-service")
    let added = 0
    weather.addTool("add", {
      description: "Adds a function.",
      parameters: { type: "object" },
      execute() {
        weather.addTool(`added_${++added}`, sunny)
        return `added ${added}`
      },
    })
    const socket = await hub.accept()
    await socket.reply("remote-connect", connected)
    await weather.ready
    return { socket, weather }
  }

  it("is answered at once where the hub has no remote-update, and the change goes out right after it, each time", async () => {
    const { socket, weather } = await serve()
    for (const [count, result] of ["added 1", "added 2"].entries()) {
      socket.send(call(count))
      if (count === 0) await socket.reply("remote-update", { error: "no such action" })
      // The clock stands still: nothing was waited out.
      expect(await socket.next("remote-call-result")).toMatchObject({ requestId: `weather-service#${count}`, result })
      await socket.reply("remote-disconnect", { message: "remote disconnected", remotename: "weather-service" })
      await socket.reply("remote-connect", connected)
      await until(weather, (state): state is typeof state => state.tools.length === count + 2)
    }
  })

  it("is answered after the change was taken where it has", async () => {
    const { socket } = await serve()
    socket.send(call(0))
    const { nonce } = await socket.next("remote-update")
    expect(socket.untaken).toEqual([])
    socket.send({ message: "remote updated", remotename: "weather-service", nonce })
    expect(await socket.next("remote-call-result")).toMatchObject({ result: "added 1" })
  })
})

describe("a hub without remote-update that a client leaves", () => {
  it("holds it not up, also while a call runs", async () => {
    const hub = await startScriptedHub()
    const { client } = createTestClient(hub.url)
    const weather = client.createToolClient("weather-service")
    weather.addTool("hang", { description: "Hangs.", parameters: { type: "object" }, execute: () => new Promise<string>(() => {}) })
    const connected = { message: "remote connected", remotename: "weather-service" }
    const socket = await hub.accept()
    await socket.reply("remote-connect", connected)
    await weather.ready
    socket.send({ action: "remote-call", requestId: "weather-service#0", function: "hang", args: {} })
    await until(weather, (state): state is typeof state => state.calls[0]?.phase === "running")
    weather.addTool("one", sunny)
    await socket.reply("remote-update", { error: "no such action" })
    const listed = client.remotes()
    await socket.reply("remote-list", { remotes: [] })
    await listed
    const deleted = client.deleteToolClient(weather)
    for (const action of ["remote-disconnect", "remote-connect", "remote-disconnect"]) await socket.reply(action, connected)
    await deleted
    expect(weather.state.status).toBe("left")
  })
})

describe("odd frames of a hub", () => {
  it.each([
    ["broken JSON", "{"],
    ["a list", "[]"],
    ["a binary frame", Buffer.from("{}")],
    ["a call without a function", { action: "remote-call", requestId: "weather-service#0" }],
    ["a call of numbers", { action: "remote-call", requestId: 1, function: 2 }],
    ["a message of nothing", {}],
    ["a complaint", { error: "the message is not JSON" }],
  ])("are reported and skipped, and the socket stays: %s", async (_what, frame) => {
    const hub = await startScriptedHub()
    const { client, errors } = createTestClient(hub.url)
    client.subscribe(() => {})
    const socket = await hub.accept()
    socket.send(frame)
    const listed = client.remotes()
    await socket.reply("remote-list", { remotes: [FORECAST] })
    expect(await listed).toEqual([{ ...FORECAST, isLocal: false }])
    expect(errors).toEqual([expect.any(RemoteError)])
  })

  it("such as replies to nobody, foreign events and calls of unserved remotes do no harm", async () => {
    const hub = await startScriptedHub()
    const { client, errors } = createTestClient(hub.url)
    client.subscribe(() => {})
    const socket = await hub.accept()
    socket.send({ result: 1, nonce: "of nobody" })
    socket.send({ action: "weather-changed", body: { mood: "fine" } })
    socket.send({ action: "remote-call", requestId: "other#7", function: "f", args: {} })
    expect(await socket.next("remote-call-result")).toEqual({ action: "remote-call-result", requestId: "other#7", error: "no connected remote named 'other'" })
    expect(errors).toEqual([])
  })

  it("such as no reply at all end in a timeout", async () => {
    const hub = await startScriptedHub()
    const { client, clock } = createTestClient(hub.url)
    const answered = client.call("weather-service", "get_forecast")
    answered.catch(() => {})
    const socket = await hub.accept()
    await socket.next("remote-call")
    // Signs of life come, the reply does not.
    for (let count = 0; count < 4; count++) {
      await clock.advance(9_000)
      socket.send({ action: "tick" })
      void client.remotes().catch(() => {})
      await socket.reply("remote-list", { remotes: [] })
    }
    await expect(answered).rejects.toMatchObject({ code: "timeout" })
  })

  it("such as one call twice run it once, and answer it again", async () => {
    const hub = await startScriptedHub()
    const { client } = createTestClient(hub.url)
    const weather = client.createToolClient("weather-service")
    let runs = 0
    weather.addTool("get_forecast", forecastTool(() => `run ${++runs}`))
    const socket = await hub.accept()
    await socket.reply("remote-connect", { message: "remote connected", remotename: "weather-service" })
    await weather.ready
    const call = { action: "remote-call", requestId: "weather-service#0", function: "get_forecast", args: {} }
    socket.send(call)
    expect(await socket.next("remote-call-result")).toMatchObject({ result: "run 1" })
    socket.send(call)
    expect(await socket.next("remote-call-result")).toMatchObject({ result: "run 1" })
    expect(runs).toBe(1)
  })
})

describe("a client of another session", () => {
  it("is not deleted, and a call that its namesake here runs is answered all the same", async () => {
    const hub = await startScriptedHub()
    const { client } = createTestClient(hub.url)
    const weather = client.createToolClient("weather-service")
    const held = createDeferred<string>()
    weather.addTool("get_forecast", forecastTool(() => held.promise))
    const socket = await hub.accept()
    await socket.reply("remote-connect", { message: "remote connected", remotename: "weather-service" })
    await weather.ready
    socket.send({ action: "remote-call", requestId: "weather-service#0", function: "get_forecast", args: {} })
    await until(weather, (state): state is typeof state => state.calls.length === 1)
    const stranger = createTestClient("ws://127.0.0.1:1/ws").client.createToolClient("weather-service")
    await expect(client.deleteToolClient(stranger)).rejects.toThrow("not one of this session's")
    held.resolve("sunny")
    expect(await socket.next("remote-call-result")).toMatchObject({ requestId: "weather-service#0", result: "sunny" })
  })
})

describe("the end of a hub client", () => {
  it("disconnects its remotes, closes the socket and leaves no timer", async () => {
    const { url, session } = await startHub()
    const { client, clock } = createTestClient(url)
    const weather = client.createToolClient("weather-service")
    await weather.ready
    const watcher = await session()
    await client.close()
    expect(await watcher.next()).toMatchObject({ action: "remote-disconnected" })
    expect(client.state.status).toBe("closed")
    expect(weather.state.status).toBe("left")
    expect(clock.pending).toBe(0)
    expect(clock.holds).toBe(0)
    expect(() => client.createToolClient("x")).toThrow(RemoteError)
    await expect(client.call("x", "y")).rejects.toMatchObject({ code: "closed" })
  })

  it("comes before it was ever used, too", async () => {
    const { client, clock } = createTestClient("ws://127.0.0.1:1/ws")
    expect(client.state.status).toBe("connecting")
    await client.close()
    expect(clock.pending).toBe(0)
  })
})

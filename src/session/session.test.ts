import { describe, expect, it, vi } from "vitest"
import { aTool, recordOf } from "../../test/node/client/support/createBench.ts"
import { answered, createTransport } from "../../test/node/client/support/createTransport.ts"
import { FRESH_ATTEMPT_MS, OPEN_TIMEOUT_MS } from "../connection/connection.ts"
import { createDeferred } from "../lib/deferred.ts"
import { createFakeClock } from "../testing/fakeClock.ts"
import { createAnswerMemory } from "../toolClient/answerMemory.ts"
import type { SessionState } from "../toolClient/session.ts"
import { STREAM_SILENCE_MS } from "../wire/limits.ts"
import type { RegisterRequest } from "../wire/messages.ts"
import { SessionError } from "../wire/sessionError.ts"
import type { GetToken } from "./authorizedRequests.ts"
import { openSession } from "./session.ts"

interface Setup {
  readonly id?: string
  readonly getToken?: GetToken
  readonly random?: number
}

function setUp({ id = "s", getToken = () => "t", random = 0.5 }: Setup = {}) {
  const clock = createFakeClock({ random: () => random })
  const scripted = createTransport()
  const errors: unknown[] = []
  const onClosing = vi.fn()
  const onClosed = vi.fn()
  const control = openSession({
    id,
    transport: scripted.transport,
    clock,
    getToken,
    memory: createAnswerMemory(),
    tab: { value: "tab" },
    isStillborn: false,
    onError: (error) => void errors.push(error),
    onClosing,
    onClosed,
  })
  const states: SessionState[] = []
  control.session.subscribe((state) => states.push(state))
  async function settle(): Promise<void> {
    for (let count = 0; count < 5; count++) await clock.advance(0)
  }
  return {
    clock,
    scripted,
    errors,
    onClosing,
    onClosed,
    control,
    session: control.session,
    states,
    settle,
    async opened() {
      await settle()
      scripted.stream.open()
      await settle()
    },
    /** What was asked for, as `METHOD /end-of-the-path`. */
    asked: () => scripted.requests.map(({ method, path }) => `${method} ${path.replace(/^\/v1\/sessions\/[^/]+\/tool-clients/, "") || "/"}`),
  }
}

const dispatch = (call_id: string, more: object = {}) => ({ call_id, client_id: "c1", tool: "add", arguments: {}, deadline_ms: 300_000, ...more })

describe("a session", () => {
  it("is a store of one immutable snapshot, replaced at each transition", async () => {
    const { session, opened, states, scripted, settle } = setUp()
    expect(session.state).toEqual({ id: "s", status: "connecting", error: undefined, isRunning: false })
    await opened()
    const { state } = session
    expect(state).toEqual({ id: "s", status: "open", error: undefined, isRunning: false })
    scripted.stream.end()
    await settle()
    expect(session.state).toMatchObject({ status: "reconnecting", error: { code: "network" }, isRunning: false })
    expect(state.status).toBe("open")
    expect(states.map(({ status }) => status)).toEqual(["open", "reconnecting"])
  })

  it("says whether the agent is at work, and only while its stream is open", async () => {
    const { session, opened, scripted, settle, states, clock } = setUp({ random: 0 })
    await opened()
    scripted.stream.send("session.running", { running: true })
    expect(session.state.isRunning).toBe(true)
    const { state } = session
    scripted.stream.send("session.running", { running: true })
    expect(session.state).toBe(state)
    scripted.stream.end()
    await settle()
    expect(session.state.isRunning).toBe(false)
    await clock.advance(0)
    scripted.stream.open()
    expect(session.state).toMatchObject({ status: "open", isRunning: false })
    scripted.stream.send("session.running", { running: true })
    scripted.stream.send("session.running", { running: false })
    expect(states.at(-1)).toMatchObject({ status: "open", isRunning: false })
  })

  it("asks under its id, whatever that is", async () => {
    const { scripted, settle, opened, session } = setUp({ id: "a/b c?" })
    await opened()
    session.createToolClient("web")
    await settle()
    expect(scripted.stream.request.path).toBe("/v1/sessions/a%2Fb%20c%3F/events")
    expect(scripted.requests[0]?.path).toBe("/v1/sessions/a%2Fb%20c%3F/tool-clients")
  })

  it("asks for its token by its id", async () => {
    const getToken = vi.fn(() => "t")
    const { settle } = setUp({ id: "mine", getToken })
    await settle()
    expect(getToken).toHaveBeenCalledExactlyOnceWith("mine")
  })

  it("registers its clients once its stream is open, and never before", async () => {
    const { session, asked, settle, opened } = setUp()
    const client = session.createToolClient("web")
    await settle()
    expect(asked()).toEqual([])
    await opened()
    expect(asked()).toEqual(["POST /"])
    await client.ready
  })

  it("keeps the tools of its clients, and their ids, while the stream is opened again", async () => {
    const { session, opened, scripted, settle, clock, asked } = setUp({ random: 0 })
    await opened()
    const client = session.createToolClient("web")
    client.addTool("add", aTool())
    await settle()
    const { state } = client
    scripted.stream.end()
    await settle()
    await clock.advance(0)
    scripted.stream.open()
    await settle()
    expect(client.state).toBe(state)
    expect(asked()).toEqual(["POST /", "POST /c1/ping"])
  })

  it("pings when the stream is open again after a while, since the server may have forgotten its clients", async () => {
    const { session, opened, scripted, settle, clock, asked } = setUp({ random: 0 })
    await opened()
    session.createToolClient("web")
    await settle()
    await clock.advance(5_000)
    scripted.stream.end()
    await settle()
    await clock.advance(0)
    scripted.stream.open()
    await settle()
    expect(asked()).toEqual(["POST /", "POST /c1/ping"])
  })

  it("pings by an event of the stream, however late its timers are", async () => {
    const { session, opened, scripted, settle, clock, asked } = setUp()
    await opened()
    session.createToolClient("web")
    await settle()
    // Just before the timer would be due, which may come a minute late.
    clock.jump(13_000)
    scripted.stream.send("keep_alive", {})
    clock.jump(13_000)
    scripted.stream.send("keep_alive", {})
    await settle()
    expect(asked()).toEqual(["POST /", "POST /c1/ping"])
  })

  it("takes the events it does not know, and those it cannot read, in its stride", async () => {
    const { session, opened, scripted, errors, settle } = setUp()
    await opened()
    session.createToolClient("web").addTool("add", aTool())
    await settle()
    for (const type of ["tool_client.expired", "of_a_newer_server", "__proto__", "resync"]) scripted.stream.send(type, null)
    scripted.stream.send("tool_call.dispatched", { call_id: "k" })
    scripted.stream.send("tool_call.dispatched", dispatch("k"))
    await settle()
    expect(errors).toMatchObject([{ code: "bad_event" }])
    expect(session.state.status).toBe("open")
    expect(scripted.requests.map(({ body }) => body)).toContainEqual({ call_id: "k", text: "done", is_error: false })
  })
})

describe("the events of a session", () => {
  async function running(reason: { type: string; data: object }) {
    const made = setUp()
    await made.opened()
    const client = made.session.createToolClient("web")
    let signal: AbortSignal | undefined
    const gate = createDeferred<string>()
    client.addTool("add", aTool((_args, call) => {
      signal = call.signal
      return gate.promise
    }))
    await made.settle()
    made.scripted.stream.send("tool_call.dispatched", dispatch("k"))
    await made.settle()
    made.scripted.stream.send(reason.type, reason.data)
    gate.resolve("done")
    await made.settle()
    return { ...made, client, isAborted: () => signal?.aborted }
  }

  it.each([
    { type: "tool_call.cancelled", data: { call_id: "k", reason: "cancelled" } },
    { type: "tool_call.settled", data: { call_id: "k", client_id: "c1", is_error: true, reason: "deadline" } },
    { type: "tool_call.settled", data: { call_id: "k", client_id: "c1", is_error: true, reason: "client_expired" } },
  ])("abort a call whose answer nobody wants any more, and say why: $type $data.reason", async (event) => {
    const { isAborted, client, asked } = await running(event)
    expect(isAborted()).toBe(true)
    expect(recordOf(client, "k")).toMatchObject({ phase: "failed", error: { message: expect.stringContaining(event.data.reason) } })
    expect(asked()).not.toContain("POST /c1/answers")
  })

  it.each([
    { type: "tool_call.settled", data: { call_id: "k", client_id: "c1", is_error: false, reason: "answered" } },
    { type: "tool_call.settled", data: { call_id: "another", client_id: "c1", is_error: true, reason: "deadline" } },
    { type: "tool_call.cancelled", data: { call_id: "another", reason: "cancelled" } },
  ])("leave a call alone that they are not about: $type $data.call_id $data.reason", async (event) => {
    const { isAborted, client } = await running(event)
    expect(isAborted()).toBe(false)
    expect(recordOf(client, "k")).toMatchObject({ phase: "answered" })
  })
})

describe("the identity of a session's clients", () => {
  it("is another one after the server says that a client is deleted which nobody here has deleted", async () => {
    const { session, opened, scripted, settle } = setUp()
    await opened()
    const client = session.createToolClient("web")
    await settle()
    scripted.stream.send("tool_client.deleted", { client_id: "another", name: "web" })
    await settle()
    expect(scripted.requests.length).toBe(1)
    scripted.stream.send("tool_client.deleted", { client_id: "c1", name: "web" })
    await settle()
    expect(client.state).toMatchObject({ status: "serving", id: "c2" })
  })
})

describe("a session whose getToken says that this person may not", () => {
  it("has failed at once, with the reason, asks no more, and asks again when it is retried", async () => {
    const getToken = vi.fn<GetToken>(() => {
      throw new SessionError("unauthorized", "Sign in again.")
    })
    const { session, settle, clock, errors, scripted } = setUp({ getToken })
    const client = session.createToolClient("web")
    await settle()
    const error = { code: "unauthorized", message: expect.stringContaining("Sign in again.") as string }
    expect(session.state).toMatchObject({ status: "failed", error })
    await expect(client.ready).rejects.toMatchObject(error)
    expect(errors).toMatchObject([error])
    await clock.advance(600_000)
    expect(getToken).toHaveBeenCalledTimes(1)
    getToken.mockImplementation(() => "t")
    session.retry()
    await settle()
    scripted.stream.open()
    await settle()
    expect(session.state.status).toBe("open")
    expect(client.state.status).toBe("serving")
  })
})

describe("a session whose token is not taken", () => {
  it("fails at the second 401, with all its clients, and sends nothing more until it is retried", async () => {
    const { session, opened, scripted, settle, clock, errors } = setUp()
    await opened()
    const client = session.createToolClient("web")
    client.addTool("add", aTool())
    await settle()
    scripted.respond = () => answered(401, "token_expired")
    await clock.advance(30_000)
    expect(session.state).toMatchObject({ status: "failed", error: { code: "unauthorized" } })
    expect(client.state).toMatchObject({ status: "failed", error: { code: "unauthorized" }, tools: [] })
    expect(scripted.live()).toBe(0)
    const before = scripted.requests.length
    await clock.advance(3_600_000)
    expect(scripted.requests.length).toBe(before)
    expect(scripted.streams.length).toBe(1)
    expect(clock.pending + clock.holds).toBe(0)
    expect(errors.length).toBeLessThanOrEqual(1)
  })

  it("asks for a new token when it is retried, and serves again under the same name", async () => {
    const tokens = ["old", "old", "new"]
    const getToken = vi.fn(() => tokens.shift() ?? "new")
    const { session, opened, scripted, settle, clock } = setUp({ getToken })
    await opened()
    const client = session.createToolClient("web")
    client.addTool("add", aTool())
    await settle()
    const good = scripted.respond
    scripted.respond = (request) => (request.token === "new" ? good(request) : answered(401, "token_expired"))
    scripted.onStream = (stream) => {
      if (stream.request.token === "new") stream.open()
      else stream.fail(new SessionError("unauthorized", "expired", { status: 401 }))
    }
    await clock.advance(30_000)
    expect(session.state.status).toBe("failed")
    session.retry()
    await settle()
    expect(session.state.status).toBe("open")
    await client.ready
    expect(client.state).toMatchObject({ status: "serving", name: "web", tools: ["add"] })
    const registrations = scripted.requests.filter(({ path, method }) => method === "POST" && path.endsWith("/tool-clients")).map(({ body }) => body as RegisterRequest)
    expect(new Set(registrations.map(({ instance_id, load_id }) => instance_id + load_id)).size).toBe(1)
  })

  it("fails when its stream is answered 401 twice, or its session is not there", async () => {
    for (const code of ["unauthorized", "session_not_found"] as const) {
      const { session, scripted, settle, clock } = setUp()
      scripted.onStream = (stream) => stream.fail(new SessionError(code, "no"))
      const client = session.createToolClient("web")
      await settle()
      expect(session.state).toMatchObject({ status: "failed", error: { code } })
      await expect(client.ready).rejects.toMatchObject({ code })
      expect(clock.pending + clock.holds).toBe(0)
    }
  })

  it("may be retried by a subscriber as soon as it fails: its clients register again", async () => {
    const { session, opened, scripted, settle, clock } = setUp()
    await opened()
    const client = session.createToolClient("web")
    client.addTool("add", aTool())
    await settle()
    session.subscribe((state) => {
      if (state.status === "failed") session.retry()
    })
    const good = scripted.respond
    scripted.respond = () => answered(401, "token_expired")
    await clock.advance(30_000)
    scripted.respond = good
    await settle()
    scripted.stream.open()
    await settle()
    expect(session.state.status).toBe("open")
    expect(client.state).toMatchObject({ status: "serving", tools: ["add"] })
  })

  it("may be retried by a client's subscriber as soon as that fails", async () => {
    const { session, opened, scripted, settle, clock } = setUp()
    await opened()
    const clients = ["a", "b"].map((name) => session.createToolClient(name))
    await settle()
    clients[0]!.subscribe((state) => {
      if (state.status === "failed") session.retry()
    })
    const good = scripted.respond
    scripted.respond = () => answered(401, "token_expired")
    await clock.advance(30_000)
    scripted.respond = good
    await settle()
    scripted.stream.open()
    await settle()
    expect(session.state.status).toBe("open")
    expect(clients.map(({ state }) => state.status)).toEqual(["serving", "serving"])
  })

  it("takes a client that is created while it has failed, and registers it when it is retried", async () => {
    const { session, scripted, settle } = setUp()
    scripted.onStream = (stream) => stream.fail(new SessionError("session_not_found", "no"))
    await settle()
    expect(session.state.status).toBe("failed")
    const client = session.createToolClient("web")
    await settle()
    scripted.onStream = (stream) => stream.open()
    session.retry()
    await settle()
    await client.ready
    expect(client.state.status).toBe("serving")
  })
})

describe("a session whose getToken hangs", () => {
  it("says that it is the token it waits for, and asks again", async () => {
    const getToken = vi.fn(() => new Promise<string>(() => {}))
    const { session, clock, errors } = setUp({ getToken, random: 0 })
    await clock.advance(OPEN_TIMEOUT_MS)
    expect(errors[0]).toMatchObject({ code: "token", message: expect.stringMatching(/token/i) })
    expect(session.state).toMatchObject({ status: "reconnecting", error: { code: "token" } })
    expect(getToken).toHaveBeenCalledTimes(2)
  })

  it("closes at once, and leaves nothing once the wait for the token is over", async () => {
    const { session, clock, settle, scripted } = setUp({ getToken: () => new Promise<string>(() => {}) })
    session.createToolClient("web")
    await settle()
    await session.close()
    expect(session.state.status).toBe("closed")
    await clock.advance(OPEN_TIMEOUT_MS)
    expect(clock.pending + clock.holds).toBe(0)
    expect(scripted.streams).toEqual([])
  })
})

describe("closing a session", () => {
  it("deletes its clients, then closes its stream, and leaves nothing", async () => {
    const { session, opened, settle, asked, scripted, clock, onClosing, onClosed } = setUp()
    await opened()
    const clients = ["a", "b"].map((name) => session.createToolClient(name))
    await settle()
    const closed = session.close()
    expect(onClosing).toHaveBeenCalledTimes(1)
    expect(scripted.live()).toBe(1)
    await closed
    expect(asked().slice(2)).toEqual(["DELETE /c1", "DELETE /c2"])
    expect(session.state).toEqual({ id: "s", status: "closed", error: undefined, isRunning: false })
    expect(clients.map(({ state }) => state.status)).toEqual(["left", "left"])
    expect(scripted.live()).toBe(0)
    expect(clock.pending + clock.holds).toBe(0)
    expect(onClosed).toHaveBeenCalledTimes(1)
  })

  it("twice is closing once", async () => {
    const { session, opened, settle, asked, onClosed } = setUp()
    await opened()
    session.createToolClient("web")
    await settle()
    expect(session.close()).toBe(session.close())
    await session.close()
    expect(asked().filter((request) => request.startsWith("DELETE")).length).toBe(1)
    expect(onClosed).toHaveBeenCalledTimes(1)
  })

  it("never rejects: what could not be deleted is reported", async () => {
    const { session, opened, settle, scripted, errors, clock } = setUp()
    await opened()
    const client = session.createToolClient("web")
    await settle()
    scripted.respond = () => answered(500, "internal_error")
    await session.close()
    expect(session.state.status).toBe("closed")
    expect(errors).toMatchObject([{ status: 500 }])
    expect(client.state.status).toBe("leaving")
    expect(clock.pending + clock.holds).toBe(0)
  })

  it("takes no more clients, from its first moment on", async () => {
    const { session, opened } = setUp()
    await opened()
    const closed = session.close()
    expect(() => session.createToolClient("web")).toThrow(expect.objectContaining({ code: "closed" }))
    expect(() => session.shareToolClient("web")).toThrow(expect.objectContaining({ code: "closed" }))
    await closed
    expect(() => session.createToolClient("web")).toThrow(/"s"/)
  })

  it("is not undone by a retry, a wake or a return of the page", async () => {
    const { session, opened, control, scripted, settle, clock } = setUp()
    await opened()
    await session.close()
    session.retry()
    for (const event of ["wake", "thaw", "suspend", "leave", "freeze"] as const) control.onPageEvent(event)
    await settle()
    await clock.advance(3_600_000)
    expect(session.state.status).toBe("closed")
    expect(scripted.streams.length).toBe(1)
    expect(scripted.requests).toEqual([])
    expect(clock.pending).toBe(0)
  })

  it("whose DELETE is answered 401 does not fail the session", async () => {
    const { session, opened, settle, scripted, states } = setUp()
    await opened()
    session.createToolClient("web")
    await settle()
    scripted.respond = () => answered(401, "token_expired")
    await session.close()
    expect(states.map(({ status }) => status)).toEqual(["open", "closed"])
  })

  it.each<[string, (made: ReturnType<typeof setUp>) => Promise<void> | void]>([
    ["before anything was asked", () => {}],
    ["while it connects", ({ settle }) => settle()],
    [
      "while it waits to connect again",
      async ({ settle, scripted }) => {
        await settle()
        scripted.stream.fail(new SessionError("network", "cut"))
        await settle()
      },
    ],
    [
      "while a client registers",
      async ({ opened, session, settle, scripted }) => {
        await opened()
        const good = scripted.respond
        const gate = createDeferred<void>()
        scripted.respond = async (request) => {
          await gate.promise
          return good(request)
        }
        session.createToolClient("web")
        await settle()
        gate.resolve()
      },
    ],
    [
      "while a registration waits to be tried again",
      async ({ opened, session, settle, scripted }) => {
        await opened()
        const good = scripted.respond
        scripted.respond = () => answered(503)
        session.createToolClient("web")
        await settle()
        scripted.respond = good
      },
    ],
    [
      "while a call runs",
      async ({ opened, session, settle, scripted }) => {
        await opened()
        session.createToolClient("web").addTool("add", aTool(() => new Promise(() => {}), { timeout: 60_000 }))
        await settle()
        scripted.stream.send("tool_call.dispatched", dispatch("k"))
        await settle()
      },
    ],
    [
      "while an answer waits to be sent again",
      async ({ opened, session, settle, scripted }) => {
        await opened()
        session.createToolClient("web").addTool("add", aTool())
        await settle()
        const good = scripted.respond
        scripted.respond = (request) => (request.path.endsWith("/answers") ? answered(503) : good(request))
        scripted.stream.send("tool_call.dispatched", dispatch("k"))
        await settle()
        scripted.respond = good
      },
    ],
    [
      "while a ping is on its way",
      async ({ opened, session, settle, scripted, clock }) => {
        await opened()
        session.createToolClient("web")
        await settle()
        const good = scripted.respond
        const gate = createDeferred<void>()
        scripted.respond = async (request) => {
          if (request.path.endsWith("/ping")) await gate.promise
          return good(request)
        }
        await clock.advance(30_000)
        gate.resolve()
      },
    ],
    [
      "after it failed",
      async ({ settle, scripted }) => {
        await settle()
        scripted.stream.fail(new SessionError("refused", "no"))
        await settle()
      },
    ],
    [
      "while the page is put away",
      async ({ opened, session, settle, control }) => {
        await opened()
        session.createToolClient("web")
        await settle()
        control.onPageEvent("suspend")
        await settle()
      },
    ],
  ])("%s leaves no timer, no hold, no stream, and sends nothing after", async (_when, reach) => {
    const made = setUp()
    const { session, clock, scripted, settle } = made
    await reach(made)
    await session.close()
    await settle()
    expect(session.state.status).toBe("closed")
    expect(scripted.live()).toBe(0)
    expect({ pending: clock.pending, holds: clock.holds }).toEqual({ pending: 0, holds: 0 })
    const requests = scripted.requests.length
    const streams = scripted.streams.length
    await clock.advance(3_600_000)
    expect(scripted.requests.length).toBe(requests)
    expect(scripted.streams.length).toBe(streams)
  })
})

describe("a session that is told of its page", () => {
  async function serving(more: object = {}) {
    const made = setUp({ random: 0, ...more })
    await made.opened()
    const client = made.session.createToolClient("web")
    client.addTool("add", aTool())
    await made.settle()
    return { ...made, client }
  }

  it.each(["leave", "suspend"] as const)("says so within the event by a request that outlives the page, and closes its stream: %s", async (event) => {
    const { control, scripted, clock } = await serving()
    const before = scripted.requests.length
    control.onPageEvent(event)
    expect(scripted.requests.slice(before)).toMatchObject([{ method: "POST", path: "/v1/sessions/s/tool-clients/c1/ping", keepalive: true, body: event === "leave" ? { leaving: true } : { suspended: true } }])
    expect(scripted.live()).toBe(0)
    await clock.advance(600_000)
    expect(scripted.live()).toBe(0)
  })

  it("registers again under the same identity when the page is back from the back/forward cache, after its stream is open", async () => {
    const { control, scripted, settle, client, asked, clock } = await serving()
    control.onPageEvent("suspend")
    await settle()
    clock.jump(600_000)
    control.onPageEvent("thaw")
    await settle()
    expect(client.state.status).toBe("joining")
    const before = asked().length
    expect(scripted.live()).toBe(1)
    expect(asked().filter((request) => request === "POST /").length).toBe(1)
    scripted.stream.open()
    await settle()
    expect(asked().slice(before)).toEqual(["POST /"])
    expect(client.state.status).toBe("serving")
    const forms = scripted.requests.filter(({ path }) => path.endsWith("/tool-clients")).map(({ body }) => body as RegisterRequest)
    expect(forms[1]).toMatchObject({ instance_id: forms[0]?.instance_id, load_id: forms[0]?.load_id })
  })

  it("replaces its stream once after a freeze, however many events tell of the return, and pings no flood", async () => {
    const { control, scripted, settle, clock, asked } = await serving()
    control.onPageEvent("freeze")
    clock.jump(600_000)
    for (const event of ["thaw", "wake", "thaw", "wake"] as const) control.onPageEvent(event)
    await settle()
    expect(scripted.streams.length).toBe(2)
    expect(scripted.live()).toBe(1)
    scripted.stream.open()
    await settle()
    expect(asked().filter((request) => request === "POST /").length).toBe(2)
    expect(asked().filter((request) => request.endsWith("/ping")).length).toBeLessThanOrEqual(1)
  })

  it("pings at once if one is due when the page is looked at again, and not if none is", async () => {
    const { control, clock, asked, settle } = await serving()
    clock.jump(10_000)
    control.onPageEvent("wake")
    await settle()
    expect(asked()).toEqual(["POST /"])
    clock.jump(20_000)
    control.onPageEvent("wake")
    control.onPageEvent("wake")
    await settle()
    expect(asked()).toEqual(["POST /", "POST /c1/ping"])
  })

  it("connects at once when the network is back", async () => {
    const { control, scripted, settle, session } = await serving({ random: 1 })
    scripted.stream.fail(new SessionError("network", "offline"))
    await settle()
    expect(session.state.status).toBe("reconnecting")
    control.onPageEvent("wake")
    expect(scripted.streams.length).toBe(2)
  })

  it("sends what waited at once when the network is back", async () => {
    const { control, scripted, settle, client } = await serving({ random: 1 })
    const good = scripted.respond
    scripted.respond = () => Promise.reject(new SessionError("network", "offline"))
    client.addTool("sub", aTool())
    await settle()
    scripted.respond = good
    control.onPageEvent("wake")
    await settle()
    expect(client.state.tools).toEqual(["add", "sub"])
  })

  it("pings again at once when the network is back, also where the last one failed a moment ago", async () => {
    const { control, scripted, settle, clock, asked } = await serving({ random: 1 })
    const good = scripted.respond
    scripted.respond = () => Promise.reject(new SessionError("network", "offline"))
    await clock.advance(30_000)
    scripted.respond = good
    scripted.stream.send("keep_alive", {})
    await settle()
    expect(asked()).toEqual(["POST /", "POST /c1/ping"])
    control.onPageEvent("wake")
    await settle()
    expect(asked()).toEqual(["POST /", "POST /c1/ping", "POST /c1/ping"])
  })

  it("finds a stream that died while the machine slept, by whatever wakes it", async () => {
    const { control, scripted, clock } = await serving()
    clock.jump(8 * 3_600_000)
    control.onPageEvent("wake")
    expect(scripted.streams.length).toBe(2)
    expect(scripted.streams[0]?.request.signal.aborted).toBe(true)
    clock.jump(FRESH_ATTEMPT_MS)
    expect(STREAM_SILENCE_MS).toBeGreaterThan(FRESH_ATTEMPT_MS)
  })

  it("says nothing of clients that have left", async () => {
    const { control, session, client, scripted } = await serving()
    await session.deleteToolClient(client)
    const before = scripted.requests.length
    control.onPageEvent("leave")
    expect(scripted.requests.length).toBe(before)
  })
})

describe("a session that is released", () => {
  it("closes when its clients have answered their calls and are gone", async () => {
    const { control, session, opened, settle, scripted, clock } = setUp()
    await opened()
    const owner = session.shareToolClient("web")
    const gate = createDeferred<string>()
    owner.client.addTool("add", aTool(() => gate.promise))
    await settle()
    scripted.stream.send("tool_call.dispatched", dispatch("k"))
    await settle()
    owner.release()
    control.closeWhenIdle()
    await settle()
    expect(session.state.status).toBe("open")
    gate.resolve("navigated")
    await settle()
    expect(scripted.requests.map(({ body }) => body)).toContainEqual({ call_id: "k", text: "navigated", is_error: false })
    expect(session.state.status).toBe("closed")
    expect(clock.pending + clock.holds).toBe(0)
  })

  it("stays when it is taken back within the tick", async () => {
    const { control, session, opened, settle } = setUp()
    await opened()
    control.closeWhenIdle()
    control.stay()
    await settle()
    expect(session.state.status).toBe("open")
  })
})

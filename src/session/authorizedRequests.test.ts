import { describe, expect, it, vi } from "vitest"
import { answered, createTransport } from "../../test/node/client/support/createTransport.ts"
import { createDeferred } from "../lib/deferred.ts"
import { createFakeClock } from "../testing/fakeClock.ts"
import { SessionError } from "../wire/sessionError.ts"
import { createAuthorizedRequests, TOKEN_TIMEOUT_MS } from "./authorizedRequests.ts"

/** `tokens`: what getToken gives, one after the other; the last one for ever. */
function setUp(...tokens: readonly (string | (() => unknown))[]) {
  const clock = createFakeClock()
  const scripted = createTransport()
  const final: SessionError[] = []
  const asked: string[] = []
  const requests = createAuthorizedRequests(
    scripted.transport,
    clock,
    () => {
      const next = tokens[Math.min(asked.length, tokens.length - 1)]!
      asked.push(typeof next === "string" ? next : "?")
      return (typeof next === "string" ? next : next()) as string
    },
    (error) => final.push(error),
  )
  const send = (path = "/x") => requests.send({ method: "POST", path }, 10_000)
  return { clock, scripted, final, asked, requests, send, tokens: () => scripted.requests.map(({ token }) => token) }
}

/** Takes these tokens only. */
const takes = (...good: readonly string[]) => ({ token }: { token: string }) => (good.includes(token) ? { status: 204, body: undefined } : answered(401, "token_expired"))

describe("the session's requests", () => {
  it("ask for the token once, before the first of them, and give the body of a good answer", async () => {
    const { scripted, asked, send } = setUp("t1")
    scripted.respond = () => ({ status: 201, body: { id: "c" } })
    expect(asked).toEqual([])
    expect(await Promise.all([send(), send(), send()])).toEqual([{ id: "c" }, { id: "c" }, { id: "c" }])
    await send()
    expect(asked).toEqual(["t1"])
  })

  it.each([
    ["a SessionError", new SessionError("unauthorized", "Sign in again.")],
    ["any error of that code", Object.assign(new Error("Sign in again."), { code: "unauthorized" })],
  ])("are over when getToken says with %s that this person may not", async (_what, refusal) => {
    const { scripted, final, send, requests } = setUp(() => {
      throw refusal
    })
    const expected = { name: "SessionError", code: "unauthorized", message: expect.stringContaining("Sign in again.") as string, cause: refusal }
    await expect(send()).rejects.toMatchObject(expected)
    expect(final).toMatchObject([expected])
    await expect(requests.stream({} as never)).rejects.toMatchObject(expected)
    expect(scripted.requests).toEqual([])
  })

  it.each([
    ["cannot be written as text", Object.create(null) as object],
    ["is nothing", undefined],
  ])("are tried again when getToken throws what %s", async (_what, thrown) => {
    const { send, final } = setUp(() => {
      throw thrown
    }, "t2")
    await expect(send()).rejects.toMatchObject({ code: "token", cause: thrown })
    await send()
    expect(final).toEqual([])
  })

  it("wait by the hundred without a warning of a leak, and are all given up together", async () => {
    const warnings: Error[] = []
    const hear = (warning: Error) => void warnings.push(warning)
    process.on("warning", hear)
    const { scripted, send, requests } = setUp("t1")
    scripted.respond = () => new Promise(() => {})
    const waiting = Array.from({ length: 100 }, () => send())
    const settled = Promise.allSettled(waiting)
    // Warnings come in a later turn.
    await new Promise((resolve) => setImmediate(resolve))
    process.off("warning", hear)
    expect(warnings).toEqual([])
    requests.abort()
    for (const one of await settled) expect(one).toMatchObject({ status: "rejected", reason: { code: "closed" } })
  })

  it("leave within the tick that asked once the token is known", async () => {
    const { scripted, send } = setUp("t1")
    await send()
    void send("/leaving")
    expect(scripted.requests.at(-1)?.path).toBe("/leaving")
  })

  it("that are answered 401 ask for a new token, once for all, and go again with it", async () => {
    const { scripted, asked, send, tokens, final } = setUp("t1", "t2")
    scripted.respond = takes("t2")
    await Promise.all([send(), send(), send()])
    expect(asked).toEqual(["t1", "t2"])
    expect(tokens()).toEqual(["t1", "t1", "t1", "t2", "t2", "t2"])
    expect(final).toEqual([])
  })

  it("of which one is answered 401 late take the token that another one has got meanwhile", async () => {
    const { scripted, asked, send, tokens } = setUp("t1", "t2")
    await send()
    const gate = createDeferred<void>()
    scripted.respond = async (request) => {
      if (request.path === "/slow" && request.token === "t1") await gate.promise
      return takes("t2")(request)
    }
    const slow = send("/slow")
    await send()
    gate.resolve()
    await slow
    expect(asked).toEqual(["t1", "t2"])
    expect(tokens()).toEqual(["t1", "t1", "t1", "t2", "t2"])
  })

  it("that are answered 401 twice are final, and there is no third try", async () => {
    const { scripted, asked, send, final } = setUp("t1", "t2", "t3")
    scripted.respond = takes()
    await expect(send()).rejects.toMatchObject({ code: "unauthorized", status: 401 })
    expect(asked).toEqual(["t1", "t2"])
    expect(scripted.requests.length).toBe(2)
    expect(final).toMatchObject([{ code: "unauthorized" }])
  })

  it("that are answered 401 twice with the same token are final as well", async () => {
    const { scripted, asked, send, final } = setUp("t1")
    scripted.respond = takes()
    await expect(send()).rejects.toMatchObject({ code: "unauthorized" })
    expect(asked.length).toBe(2)
    expect(final.length).toBe(1)
  })

  it("ask for a new token again after one was refused for good, when they are tried again", async () => {
    const { scripted, asked, send } = setUp("t1", "t2", "t3")
    scripted.respond = takes("t3")
    await expect(send()).rejects.toMatchObject({ code: "unauthorized" })
    await send()
    expect(asked).toEqual(["t1", "t2", "t3"])
  })

  it("of a session that is not there are final, at the first answer", async () => {
    const { scripted, send, final } = setUp("t1")
    scripted.respond = () => answered(404, "session_not_found")
    await expect(send()).rejects.toMatchObject({ code: "session_not_found" })
    expect(scripted.requests.length).toBe(1)
    expect(final).toMatchObject([{ code: "session_not_found" }])
  })

  it.each([[403, "wrong_session"], [404, "tool_client_not_found"], [409, "call_settled"], [500, "internal_error"]] as const)(
    "that are answered %d %s are no matter of the token",
    async (status, code) => {
      const { scripted, send, asked, final } = setUp("t1")
      scripted.respond = () => answered(status, code)
      await expect(send()).rejects.toMatchObject({ status })
      expect(asked.length).toBe(1)
      expect(final).toEqual([])
    },
  )

  it.each<[string, () => unknown]>([
    ["throws", () => { throw new Error("signed out") }],
    ["rejects", () => Promise.reject(new Error("signed out"))],
    ["gives undefined", () => undefined],
    ["gives null", () => null],
    ["gives an empty string", () => ""],
    ["gives a number", () => 5],
    ["gives a page of HTML", () => "<!doctype html>\n<h1>Log in</h1>"],
    ["gives a token with a line break", () => "t1\n"],
    ["gives an object", () => Promise.resolve({ token: "t" })],
  ])("fail when getToken %s, which may pass: they send nothing, and ask again the next time", async (_how, bad) => {
    const { scripted, send, asked, final } = setUp(bad, "t1")
    const error = await send().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: "SessionError", code: "token", message: expect.stringMatching(/token/i) })
    expect(scripted.requests).toEqual([])
    await send()
    expect(asked.length).toBe(2)
    expect(final).toEqual([])
  })

  it("tell why getToken gave none, for all who waited", async () => {
    const { send } = setUp(() => Promise.reject(new Error("signed out")))
    for (const result of await Promise.allSettled([send(), send()])) {
      expect(result).toMatchObject({ status: "rejected", reason: { code: "token", message: expect.stringContaining("signed out") } })
    }
  })

  it("fail in time when getToken hangs, and ask again the next time", async () => {
    const { clock, send, asked } = setUp(() => new Promise(() => {}), "t1")
    const results = Promise.allSettled([send(), send()])
    await clock.advance(TOKEN_TIMEOUT_MS)
    expect(await results).toMatchObject([{ status: "rejected" }, { status: "rejected" }])
    expect(clock.pending).toBe(0)
    await send()
    expect(asked.length).toBe(2)
  })

  it("never take a token that came too late for the one that was asked for after it", async () => {
    const late = createDeferred<string>()
    const { clock, send, tokens } = setUp(() => late.promise, "t2")
    const first = send().catch(() => {})
    await clock.advance(TOKEN_TIMEOUT_MS)
    await first
    await send()
    late.resolve("t1")
    await clock.advance(0)
    await send()
    expect(tokens()).toEqual(["t2", "t2"])
  })

  it("are given up after their time limit, as a failure of the network, and leave no timer", async () => {
    const { clock, scripted, send } = setUp("t1")
    scripted.respond = () => new Promise(() => {})
    const result = send().catch((error: unknown) => error)
    await clock.advance(9_999)
    expect(scripted.requests[0]?.signal?.aborted).toBe(false)
    await clock.advance(1)
    expect(await result).toMatchObject({ name: "SessionError", code: "network" })
    expect(scripted.requests[0]?.signal?.aborted).toBe(true)
    expect(clock.pending).toBe(0)
  })
})

describe("the session's stream", () => {
  const streamOf = (signal = new AbortController().signal) => ({ path: "/events", signal, onOpen() {}, onBytes() {}, onEvent() {}, onId() {} })

  it("shares the token, and its renewal, with the requests", async () => {
    const { scripted, requests, send, asked } = setUp("t1", "t2")
    const { SessionError } = await import("../wire/sessionError.ts")
    scripted.onStream = (stream) => (stream.request.token === "t1" ? stream.fail(new SessionError("unauthorized", "expired", { status: 401 })) : stream.end())
    scripted.respond = takes("t2")
    await Promise.all([requests.stream(streamOf()), send(), send()])
    expect(asked).toEqual(["t1", "t2"])
    expect(scripted.streams.map(({ request }) => request.token)).toEqual(["t1", "t2"])
  })

  it("that was aborted while its token was asked for is not opened", async () => {
    const token = createDeferred<string>()
    const { scripted, requests } = setUp(() => token.promise)
    const controller = new AbortController()
    const stream = requests.stream(streamOf(controller.signal)).catch((error: unknown) => error)
    controller.abort()
    token.resolve("t1")
    expect(await stream).toMatchObject({ code: "network" })
    expect(scripted.streams).toEqual([])
  })

  it("has no time limit of its own once it has its token", async () => {
    const { scripted, requests, clock } = setUp("t1")
    const ended = vi.fn()
    void requests.stream(streamOf()).then(ended)
    await clock.advance(3_600_000)
    expect(ended).not.toHaveBeenCalled()
    expect(clock.pending).toBe(0)
    scripted.stream.end()
    await clock.advance(0)
    expect(ended).toHaveBeenCalled()
  })
})

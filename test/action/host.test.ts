import { createActionHost, defineAction, defineProvider, type ActionHostOptions, ProviderRegistry, Services } from "react-tool-client/tools"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { createFakeClock } from "../../src/testing/fakeClock.ts"
import { createDemo } from "./support/demoProviders.ts"
import { quiet } from "./support/maps.ts"

const BASE = "http://host.test"

function setUp(options: Partial<ActionHostOptions> = {}) {
  const demo = createDemo()
  const host = createActionHost({ registry: demo.registry, authorize: "anyone", logger: quiet, ...options })
  const ask = async (path: string, init?: RequestInit) => {
    const response = await host.fetch(new Request(BASE + path, init))
    return { status: response.status, body: (await response.json()) as Record<string, unknown>, headers: response.headers }
  }
  const call = (name: string, body: unknown, headers: Record<string, string> = {}, init: RequestInit = {}) =>
    ask(`/api/client/actions/${name}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...init,
    })
  return { ...demo, host, ask, call }
}

describe("who may call", () => {
  it("has to be said: nobody makes an open host by leaving something out", () => {
    const withoutAuthorize = { registry: createDemo().registry, logger: quiet } as unknown as ActionHostOptions
    expect(() => createActionHost(withoutAuthorize)).toThrow(
      'createActionHost needs authorize: a function that says who calls, or "anyone" where whoever reaches the host may call its actions.',
    )
  })

  it("is everybody where that was said", async () => {
    const { call } = setUp({ authorize: "anyone", logger: { ...quiet, warn: expect.fail } })
    expect(await call("demoAdd", { input: { a: 1 } })).toMatchObject({ status: 200, body: { result: { sum: 11 } } })
  })
})

describe("the manifest", () => {
  it("describes every provider's actions, entities and events, with schemas and function names", async () => {
    const { ask } = setUp()
    const { status, body } = await ask("/api/client/schema")
    expect(status).toBe(200)
    expect(body).toMatchObject({
      format: 1,
      version: expect.stringMatching(/^[0-9a-f]{16}$/),
      providers: [
        {
          id: "demo",
          name: "Demo",
          description: "What tests call.",
          entities: [{ id: "note", name: "Note", schema: { type: "object", properties: { text: { type: "string" } } } }],
          events: [{ id: "bought", description: "Something was bought." }],
        },
      ],
    })
    const [{ actions }] = body.providers as [{ actions: Record<string, unknown>[] }]
    expect(actions[0]).toEqual({
      id: "add",
      functionName: "demoAdd",
      name: "Add",
      description: "Adds two numbers.",
      input: { type: "object", properties: { a: { type: "number" }, b: { default: 10, type: "number" } }, required: ["a"] },
      output: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"], additionalProperties: false },
    })
  })

  it("has the same version as long as nothing changes, and another when a description does", async () => {
    const versionOf = async (description: string) => {
      const provider = defineProvider({
        id: "p",
        name: "P",
        actions: [defineAction({ id: "a", name: "A", description, input: z.object({}), output: z.null(), execute: () => null })],
      })
      return (await setUp({ registry: new ProviderRegistry({ providers: [provider] }) }).ask("/api/client/schema")).body.version
    }
    expect(await versionOf("one")).toBe(await versionOf("one"))
    expect(await versionOf("one")).not.toBe(await versionOf("two"))
  })

  it("is 500 where a schema cannot be said, and calls still work", async () => {
    const at = defineAction({ id: "at", name: "At", input: z.object({ at: z.date() }), output: z.null(), execute: () => null })
    const ok = defineAction({ id: "ok", name: "Ok", input: z.object({}), output: z.null(), execute: () => null })
    const { ask, call } = setUp({ registry: new ProviderRegistry({ providers: [{ id: "p", name: "P", actions: [at, ok] }] }) })
    expect(await ask("/api/client/schema")).toMatchObject({ status: 500, body: { error: { code: "failed" } } })
    expect(await call("pOk", { input: {} })).toMatchObject({ status: 200 })
  })

  it("stands below the base path", async () => {
    const { ask } = setUp({ basePath: "/v2" })
    expect((await ask("/v2/api/client/schema")).status).toBe(200)
    expect((await ask("/api/client/schema")).status).toBe(404)
  })
})

describe("a call", () => {
  it("is 200 with the completed branch", async () => {
    const { call } = setUp()
    expect(await call("demoAdd", { input: { a: 1 } })).toMatchObject({ status: 200, body: { status: "completed", result: { sum: 11 }, items: [] } })
  })

  it("is 200 with the interrupted branch, and with the items that it emitted", async () => {
    const { call } = setUp()
    expect((await call("demoBuy", { input: { thing: "tea" } })).body).toEqual({
      status: "interrupted",
      message: "Buy tea?",
      data: { price: 3 },
      state: { thing: "tea", step: 1 },
      items: [{ type: "question", thing: "tea" }],
    })
  })

  it("is 400 with the issues of an input that is refused", async () => {
    const { call } = setUp()
    const { status, body } = await call("demoAdd", { input: { a: "one" } })
    expect(status).toBe(400)
    expect(body).toEqual({ error: { code: "invalid_input", message: "its input was refused", issues: [{ path: ["a"], message: expect.any(String) }] } })
  })

  it("is 404 for a name that no action has", async () => {
    const { call } = setUp()
    for (const name of ["demoFly", "constructor", "__proto__", "toString", "%E0%A4%A", ""]) {
      expect(await call(name, { input: {} })).toMatchObject({ status: 404, body: { error: { code: "not_found" } } })
    }
  })

  it("is 500 for what the action throws and for an output that breaks its schema, without a stack", async () => {
    const { call } = setUp()
    expect(await call("demoFail", { input: {} })).toMatchObject({
      status: 500,
      body: { error: { code: "failed", message: "the disk is full: ENOSPC" }, items: [{ type: "note" }] },
    })
    expect(await call("demoLie", { input: {} })).toMatchObject({ status: 500, body: { error: { code: "invalid_output", issues: [{ path: ["list", 1, "n"] }] } } })
  })

  it("is 500 for a result, an interrupt or a state that is not JSON, with the path", async () => {
    const odd = defineAction({ id: "odd", name: "Odd", input: z.object({}), output: z.unknown(), execute: () => ({ deep: [new Map()] }) })
    const { call } = setUp({ registry: new ProviderRegistry({ providers: [{ id: "p", name: "P", actions: [odd] }] }) })
    expect(await call("pOdd", { input: {} })).toMatchObject({ status: 500, body: { error: { code: "invalid_output", issues: [{ path: ["result", "deep", 0] }] } } })
  })

  it("is told that it is 500 because a service is missing", async () => {
    const { call } = setUp({ services: new Services() })
    expect(await call("demoAdd", { input: { a: 1 } })).toMatchObject({ status: 500, body: { error: { message: expect.stringContaining('no service "seen"') } } })
  })

  it.each([
    ["no JSON", "{", 400, "invalid_input"],
    ["an envelope of another shape", { items: 1 }, 400, "invalid_input"],
    ["too deep", `{"input":${"[".repeat(300)}${"]".repeat(300)}}`, 400, "invalid_input"],
    ["too large", { input: { text: "x".repeat(2000) } }, 413, "limit"],
  ])("is refused where its body is %s", async (_what, body, status, code) => {
    const { call } = setUp({ maxBodyBytes: 1000 })
    expect(await call("demoShout", body)).toMatchObject({ status, body: { error: { code } } })
  })

  it("must say that it is JSON, so that no other page can send it unasked", async () => {
    const { call, seen } = setUp()
    for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
      expect((await call("demoAdd", { input: { a: 1 } }, { "content-type": type })).status).toBe(415)
    }
    expect((await call("demoAdd", { input: { a: 1 } }, { "content-type": "application/json; charset=utf-8" })).status).toBe(200)
    expect(seen.calls).toHaveLength(1)
  })

  it("is 405 by another method", async () => {
    const { ask } = setUp()
    expect((await ask("/api/client/actions/demoAdd")).status).toBe(405)
    expect((await ask("/api/client/schema", { method: "DELETE" })).status).toBe(405)
  })
})

describe("authorize", () => {
  const authorize: ActionHostOptions["authorize"] = (request, functionName) => {
    const user = request.headers.get("authorization")
    if (user === null) return { status: "unauthorized" }
    if (user === "Eve" && functionName !== undefined) return { status: "forbidden", message: "Eve only looks" }
    if (user === "Err") throw new Error("the database of users is down")
    return { status: "allowed", userId: user }
  }

  it("is asked for the manifest and for each call, before the body is read", async () => {
    const { ask, call } = setUp({ authorize })
    expect(await ask("/api/client/schema")).toMatchObject({ status: 401, body: { error: { code: "unauthorized" } } })
    expect(await call("demoAdd", "{")).toMatchObject({ status: 401 })
    expect(await call("demoAdd", "{", { authorization: "Eve" })).toMatchObject({ status: 403, body: { error: { code: "forbidden", message: "Eve only looks" } } })
    expect((await ask("/api/client/schema", { headers: { authorization: "Eve" } })).status).toBe(200)
    expect(await call("demoFly", {}, {})).toMatchObject({ status: 401 })
  })

  it("says who the user is", async () => {
    const { call, seen } = setUp({ authorize })
    await call("demoAdd", { input: { a: 1 } }, { authorization: "Ann" })
    expect(seen.calls).toMatchObject([{ userId: "Ann" }])
  })

  it("is 500 when it throws, without what it threw", async () => {
    const { call } = setUp({ authorize })
    const { status, body } = await call("demoAdd", {}, { authorization: "Err" })
    expect(status).toBe(500)
    expect(JSON.stringify(body)).not.toContain("database")
  })
})

describe("an Idempotency-Key", () => {
  const key = { "idempotency-key": "k1" }

  it("makes the same call run once, and gives the same answer again", async () => {
    const { call, seen } = setUp()
    const [one, two] = await Promise.all([call("demoAdd", { input: { a: 1, b: 2 } }, key), call("demoAdd", { input: { b: 2, a: 1 } }, key)])
    const three = await call("demoAdd", { input: { a: 1, b: 2 } }, key)
    expect([one.body, two.body, three.body].map(({ result }) => result)).toEqual([{ sum: 3 }, { sum: 3 }, { sum: 3 }])
    expect(seen.calls).toHaveLength(1)
  })

  it("gives a failure and an interrupt again too", async () => {
    const { call, seen } = setUp()
    const one = await call("demoBuy", { input: { thing: "tea" } }, key)
    expect((await call("demoBuy", { input: { thing: "tea" } }, key)).body).toEqual(one.body)
    expect(seen.calls).toHaveLength(1)
  })

  it("is 409 for another call", async () => {
    const { call } = setUp()
    await call("demoAdd", { input: { a: 1 } }, key)
    expect(await call("demoAdd", { input: { a: 2 } }, key)).toMatchObject({ status: 409, body: { error: { code: "conflict" } } })
  })

  it("is each user's and each action's own", async () => {
    const { call, seen } = setUp({ authorize: (request) => ({ status: "allowed", userId: request.headers.get("authorization") ?? "nobody" }) })
    await call("demoAdd", { input: { a: 1 } }, { ...key, authorization: "Ann" })
    await call("demoAdd", { input: { a: 1 } }, { ...key, authorization: "Bob" })
    await call("demoEcho", { input: { value: 1 } }, { ...key, authorization: "Ann" })
    expect(seen.calls.map(({ userId }) => userId)).toEqual(["Ann", "Bob"])
  })

  it("is forgotten after ten minutes", async () => {
    const clock = createFakeClock()
    const { call, seen } = setUp({ clock })
    await call("demoAdd", { input: { a: 1 } }, key)
    clock.jump(10 * 60_000 - 1)
    await call("demoAdd", { input: { a: 1 } }, key)
    expect(seen.calls).toHaveLength(1)
    clock.jump(1)
    await call("demoAdd", { input: { a: 1 } }, key)
    expect(seen.calls).toHaveLength(2)
  })

  it("lets a call go on until everybody who waits has gone, and then lets it run again", async () => {
    const { call, seen } = setUp()
    const [one, two] = [new AbortController(), new AbortController()]
    const begun = new Promise<void>((resolve) => Object.assign(seen, { onWaiting: resolve }))
    const first = call("demoWait", { input: {} }, key, { signal: one.signal })
    await begun
    const second = call("demoWait", { input: {} }, key, { signal: two.signal })
    // A call that begins later and is through: the second has joined by then.
    await call("demoAdd", { input: { a: 1 } })
    one.abort()
    await call("demoAdd", { input: { a: 1 } })
    expect(seen.waiting.map(({ aborted }) => aborted)).toEqual([false])
    two.abort()
    expect([(await first).status, (await second).status]).toEqual([499, 499])
    expect(seen.waiting.map(({ aborted }) => aborted)).toEqual([true])
    const again = new Promise<void>((resolve) => Object.assign(seen, { onWaiting: resolve }))
    const three = new AbortController()
    const third = call("demoWait", { input: {} }, key, { signal: three.signal })
    await again
    three.abort()
    expect((await third).status).toBe(499)
    expect(seen.waiting).toHaveLength(2)
  })
})

it.each([["without a key", {}], ["with a key", { "idempotency-key": "k1" }]])("A listener of a call's signal that throws, %s, is logged, and ends no process.", async (_how, headers) => {
  const logged: unknown[] = []
  const { call, seen } = setUp({ logger: { ...quiet, error: (...said: unknown[]) => void logged.push(...said) } })
  const begun = new Promise<void>((resolve) => Object.assign(seen, { onWaiting: resolve }))
  const controller = new AbortController()
  const called = call("demoWait", { input: {} }, headers, { signal: controller.signal })
  await begun
  const broken = new Error("a broken listener")
  seen.waiting[0]?.addEventListener("abort", () => {
    throw broken
  })
  controller.abort()
  expect((await called).status).toBe(499)
  expect(logged).toEqual(["a listener of an action's signal threw", broken])
})

it("refuses providers, and actions of one provider, that share an id", () => {
  const { registry } = createDemo()
  const [demo] = registry.providers
  if (!demo) throw new Error("no provider")
  expect(() => new ProviderRegistry({ providers: [demo, demo] })).toThrow('"demo": two providers have this id')
  expect(() => new ProviderRegistry({ providers: [{ ...demo, actions: [...demo.actions, ...demo.actions] }] })).toThrow("demo.add")
})

describe("pages of other origins", () => {
  const ORIGIN = "https://app.example"
  const PATH = "/api/client/actions/demoAdd"
  const preflight = { method: "OPTIONS", headers: { origin: ORIGIN, "access-control-request-method": "POST", "access-control-request-headers": "content-type,x-tenant" } }

  it("that are let in may call, with the headers that they ask for", async () => {
    const { host, call } = setUp({ allowedOrigins: [ORIGIN] })
    const answer = await host.fetch(new Request(BASE + PATH, preflight))
    expect(answer.status).toBe(204)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "access-control-allow-origin": ORIGIN,
      "access-control-allow-methods": "GET, POST",
      "access-control-allow-headers": "content-type,x-tenant",
      "access-control-max-age": "7200",
      vary: "Access-Control-Request-Headers, Origin",
    })
    for (const body of [{ input: { a: 1 } }, { input: {} }]) {
      const { headers } = await call("demoAdd", body, { origin: ORIGIN })
      expect([headers.get("access-control-allow-origin"), headers.get("vary")]).toEqual([ORIGIN, "Origin"])
    }
  })

  it.each([[[]], [["https://other.example"]]])("that are not get no further than their preflight: %j", async (allowedOrigins) => {
    const { host, ask } = setUp({ allowedOrigins })
    expect((await host.fetch(new Request(BASE + PATH, preflight))).headers.has("access-control-allow-origin")).toBe(false)
    expect((await ask("/api/client/schema", { headers: { origin: ORIGIN } })).headers.has("access-control-allow-origin")).toBe(false)
  })

  it("are all let in by *, also without an answer that depends on the origin", async () => {
    const { ask } = setUp({ allowedOrigins: "*" })
    const { headers } = await ask("/api/client/schema", { headers: { origin: ORIGIN } })
    expect([headers.get("access-control-allow-origin"), headers.get("vary")]).toEqual(["*", null])
  })

  it.each(["app.example", "https://app.example/", "https://app.example/path"])("cannot be %s, which no browser sends", (origin) => {
    expect(() => setUp({ allowedOrigins: [origin] })).toThrow(TypeError)
    expect(() => setUp({ allowedOrigins: origin as never })).toThrow('allowedOrigins must be "*" or a list')
  })
})

describe("an authorize that never says who calls", () => {
  it("holds no request for ever: after 10 s the caller is told 503, and nothing has run", async () => {
    const clock = createFakeClock()
    const { ask, call, seen } = setUp({ clock, authorize: () => new Promise(() => {}), logger: { ...quiet, error: expect.fail } })
    const answers = [call("demoAdd", { input: { a: 1 } }), ask("/api/client/schema")]
    await clock.advance(10_000)
    expect(await Promise.all(answers)).toMatchObject([
      { status: 503, body: { error: { code: "unavailable", message: expect.stringContaining("within 10 s") as string } } },
      { status: 503 },
    ])
    expect(seen.calls).toEqual([])
  })
})

describe("an action host that is set up wrongly", () => {
  it.each([undefined, null, true, false, {}, { status: "denied" }])("lets nobody in where authorize gives %j", async (given) => {
    const { ask, call, seen } = setUp({ authorize: (() => given) as unknown as ActionHostOptions["authorize"] })
    expect(await call("demoAdd", { input: { a: 1 } })).toMatchObject({ status: 500, body: { error: { code: "failed" } } })
    expect(await ask("/api/client/schema")).toMatchObject({ status: 500 })
    expect(seen.calls).toEqual([])
  })

  it.each([
    [undefined, "needs registry: new ProviderRegistry"],
    [{ authorize: "me" }, 'authorize must be a function that says who calls, or "anyone" where whoever reaches the host may call its actions, not "me"'],
    [{ authorise: () => ({ status: "forbidden" }) }, 'there is no option "authorise"'],
    [{ allowedOrigins: null }, 'allowedOrigins must be "*" or a list of strings, not null'],
    [{ logger: {} }, "logger must be a logger"],
    [{ services: {} }, "services must be the Services"],
    [{ basePath: "agents" }, '"agents"'],
    [{ basePath: "/agents/" }, '"/agents/"'],
    [{ maxBodyBytes: "1mb" }, 'above 0, not "1mb"'],
    [{ maxBodyBytes: Number.NaN }, "above 0, not NaN"],
  ])("is refused at once: %j", (options, text) => {
    const all = options && { registry: createDemo().registry, authorize: "anyone", ...options }
    expect(() => createActionHost(all as unknown as ActionHostOptions)).toThrow(text)
    expect(() => createActionHost(all as unknown as ActionHostOptions)).toThrow(TypeError)
  })
})

it("An action host is found below a path that is not of ASCII.", async () => {
  const { ask } = setUp({ basePath: "/größe" })
  expect((await ask("/größe/api/client/schema")).status).toBe(200)
  expect((await ask("/größer/api/client/schema")).status).toBe(404)
})

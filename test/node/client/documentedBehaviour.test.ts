// What a tool client promises, each sentence over the real server on loopback.
import { toStandardJsonSchema } from "@valibot/to-json-schema"
import { type } from "arktype"
import * as v from "valibot"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { parametersOf, ToolDefinitionError, type ToolCall, type ToolClient, type ToolClientState } from "react-tool-client/client"
import { hold, loseAnswer, refuse } from "../../faults/faults.ts"
import { createWorld, type Execute, type Page, type World } from "../../faults/world.ts"

const description = "Does it."
const parameters = { type: "object", properties: { text: { type: "string" } } }

/** A page with a served client, and the agent's side of it. */
async function serving(world: World, declare: (client: ToolClient) => void = () => {}): Promise<ToolClient> {
  const client = world.open().session.createToolClient("web")
  declare(client)
  await world.quiet()
  expect(client.state.status).toBe("serving")
  return client
}

/** A client that is registered, of a page whose own getToken the world does not wait for. */
async function joined(world: World, page: Page, tools: Readonly<Record<string, Execute>> = { add: () => "done" }): Promise<ToolClient> {
  const client = page.session.createToolClient("web")
  for (const [name, execute] of Object.entries(tools)) client.addTool(name, world.tool(execute))
  await client.ready
  await world.quiet()
  return client
}

/** What the model is answered, once nothing is under way any more. */
async function answerOf(world: World, tool: string, args?: unknown) {
  const call = world.call(`client__web__${tool}`, args)
  await world.quiet()
  if (!call.settled) throw call.error ?? new Error("The call is not settled.")
  return call.settled
}

describe("a tool client over the real server", () => {
  it.each<[string, typeof fetch | undefined]>([
    ["Node's own stream", undefined],
    ["the fetch of a browser", (input, init) => fetch(input, init)],
  ])("registers with a session and answers its calls over %s (C1)", async (_what, fetch) => {
    const world = await createWorld()
    const client = await world.open({ fetch }).serving("web", { add: ((args: { a: number; b: number }) => args.a + args.b) as never })
    expect(client.state).toMatchObject({ status: "serving", name: "web", tools: ["add"] })
    expect(await answerOf(world, "add", { a: 1, b: 2 })).toMatchObject({ text: "3", is_error: false })
  })

  it("is pinged at half its ttl, of 60 seconds by default, and lives by that (C2)", async () => {
    const world = await createWorld()
    const client = await serving(world)
    await world.pass(10 * 60_000)
    expect(client.state.status).toBe("serving")
    expect(world.proxy.of("register").length).toBe(1)
    expect(world.proxy.of("register")[0]?.body).toMatchObject({ lifetime: { type: "ttl", data: { seconds: 60 } } })
    // An event of the stream that comes just before one is due pings too: a keep-alive at 30 s, or the one at 45 s.
    const pings = world.proxy.of("ping")
    expect(pings.length).toBeGreaterThanOrEqual(20)
    expect(pings.length).toBeLessThanOrEqual(24)
  })

  it("whose lifetime never ends is pinged never, and lives until it is deleted (C2)", async () => {
    const world = await createWorld()
    const page = world.open()
    const client = await page.serving("web", { add: () => "done" }, { lifetime: { type: "never" } })
    await world.pass(30 * 60_000)
    expect(world.proxy.of("ping")).toEqual([])
    expect(await world.toolNames()).toEqual(["client__web__add"])
    await page.session.deleteToolClient(client)
    expect(await world.toolNames()).toEqual([])
  })
})

describe("telling the model what a tool takes", () => {
  const zodSchema = z.object({ n: z.coerce.number().int(), note: z.string().optional() })
  const valibotSchema = toStandardJsonSchema(v.object({ n: v.number(), note: v.optional(v.string()) }))
  const arktypeSchema = type({ n: "number", "note?": "string" })
  it.each<[string, (client: ToolClient) => void, unknown]>([
    ["zod", (client) => client.addTool("add", { description, schema: zodSchema, execute: ({ n }) => n + 1 }), parametersOf({ schema: zodSchema })],
    ["valibot", (client) => client.addTool("add", { description, schema: valibotSchema, execute: ({ n }) => n + 1 }), parametersOf({ schema: valibotSchema })],
    ["arktype", (client) => client.addTool("add", { description, schema: arktypeSchema, execute: ({ n }) => n + 1 }), parametersOf({ schema: arktypeSchema })],
  ])("one schema is published and validates: %s (C4, C8)", async (_library, declare, expected) => {
    const world = await createWorld()
    await serving(world, declare)
    const [tool] = await world.server.tools(world.sessionId)
    expect(tool).toMatchObject({ name: "client__web__add", description, parameters: { type: "object", properties: { n: expect.anything() as object, note: expect.anything() as object } } })
    expect(tool?.parameters).toEqual(JSON.parse(JSON.stringify(expected)))
    expect(await answerOf(world, "add", { n: 4 })).toMatchObject({ text: "5", is_error: false })
    expect(await answerOf(world, "add", { n: "many" })).toMatchObject({ is_error: true, text: expect.stringContaining("n:") as string })
  })

  it("JSON Schema by hand is published as it is; `parse` validates, and without it the arguments are what was sent (C5)", async () => {
    const world = await createWorld()
    await serving(world, (client) => {
      client.addTool("parsed", { description, parameters, parse: (args) => Object.keys(args as object), execute: (keys) => keys.join() })
      client.addTool("raw", { description, parameters, execute: (args) => JSON.stringify(args) })
    })
    expect((await world.server.tools(world.sessionId)).map((tool) => tool.parameters)).toEqual([parameters, parameters])
    expect(await answerOf(world, "parsed", { x: 1, y: 2 })).toMatchObject({ text: "x,y" })
    expect(await answerOf(world, "raw", { anything: [1] })).toMatchObject({ text: '{"anything":[1]}' })
  })

  it("`schema` beside `parse` is refused, and so is a tool that says nothing of what it takes (C6)", async () => {
    const world = await createWorld()
    const client = await serving(world)
    const execute = (): string => ""
    const both = { description, schema: z.object({}), parse: () => 1, execute } as never
    expect(() => client.addTool("both", both)).toThrow(expect.objectContaining({ code: "schema_and_parse", tool: "both" }))
    expect(() => client.addTool("neither", { description, execute } as never)).toThrow(expect.objectContaining({ code: "no_parameters", tool: "neither" }))
    await world.quiet()
    expect(await world.toolNames()).toEqual([])
    expect(world.proxy.of("update")).toEqual([])
  })

  it("a schema that cannot write itself takes parameters beside it, and without them addTool refuses it by name and reason (C7)", async () => {
    const world = await createWorld()
    const schema = v.object({ n: v.number() })
    const client = await serving(world, (one) => one.addTool("good", { description, schema, parameters, execute: ({ n }) => n }))
    expect((await world.server.tools(world.sessionId))[0]?.parameters).toEqual(parameters)
    expect(await answerOf(world, "good", { n: "x" })).toMatchObject({ is_error: true })
    const refused = (): void => client.addTool("bad", { description, schema, execute: () => "" })
    expect(refused).toThrow(ToolDefinitionError)
    expect(refused).toThrow(expect.objectContaining({ tool: "bad", message: expect.stringMatching(/valibot.*JSON Schema/) as string }))
    await world.quiet()
    expect(await world.toolNames()).toEqual(["client__web__good"])
  })

  it("refused arguments never reach `execute`; the model gets every issue under its path (C9)", async () => {
    const world = await createWorld()
    let ran = 0
    await serving(world, (client) =>
      client.addTool("book", {
        description,
        schema: z.object({ guests: z.number().min(1), dates: z.object({ from: z.iso.date() }), tags: z.array(z.string()) }),
        execute: () => ++ran,
      }),
    )
    const { text, is_error } = await answerOf(world, "book", { guests: 0, dates: { from: "soon" }, tags: [5] })
    expect(is_error).toBe(true)
    for (const path of ["guests", "dates.from", "tags"]) expect(text).toContain(path)
    expect(ran).toBe(0)
  })

  it("`execute` takes the schema's output, or what `parse` returned (C10)", async () => {
    const world = await createWorld()
    await serving(world, (client) => {
      client.addTool("schema", { description, schema: z.object({ n: z.string().transform(Number) }), execute: ({ n }) => typeof n })
      client.addTool("parse", { description, parameters, parse: async () => new Date(0), execute: (date) => date.toISOString() })
    })
    expect(await answerOf(world, "schema", { n: "5" })).toMatchObject({ text: "number" })
    expect(await answerOf(world, "parse", {})).toMatchObject({ text: "1970-01-01T00:00:00.000Z" })
  })
})

describe("answering", () => {
  it.each<[string, (args: never, call: ToolCall) => unknown, object]>([
    ["a string", () => "done", { text: "done", is_error: false }],
    ["an answer that says that it failed", () => ({ text: "out of stock", is_error: true }), { text: "out of stock", is_error: true }],
    ["any JSON value", () => ({ total: 5 }), { text: '{"total":5}', is_error: false }],
    ["nothing", () => undefined, { is_error: false }],
    ["what JSON cannot say", () => ({ n: 5n }), { is_error: true, text: expect.stringContaining("n") as string }],
    ["a throw", () => { throw new Error("The cart is empty.") }, { is_error: true, text: expect.stringContaining("The cart is empty.") as string }],
    ["a throw of no error", () => { throw null }, { is_error: true }],
  ])("every path answers: %s (C11)", async (_what, execute, expected) => {
    const world = await createWorld()
    await serving(world, (client) => client.addTool("act", { description, parameters, execute: execute as () => string }))
    expect(await answerOf(world, "act")).toMatchObject(expected)
  })

  it("a tool that went away while its call was on its way is answered with those that are there (C11)", async () => {
    const world = await createWorld()
    const client = await serving(world, (one) => {
      one.addTool("act", world.tool())
      one.addTool("other", world.tool())
    })
    const held = hold()
    world.proxy.next("update", held.fault)
    client.removeTool("act")
    await world.quiet()
    const call = world.call("client__web__act")
    await world.quiet()
    expect(call.settled).toMatchObject({ is_error: true, text: expect.stringContaining("other") as string })
    expect(world.executed).toEqual([])
    held.release()
    await world.quiet()
  })

  it("a tool that never comes back is told shortly before the deadline, and answered for within it (C11, C23)", async () => {
    const world = await createWorld()
    let signal: AbortSignal | undefined
    await serving(world, (client) =>
      client.addTool("slow", {
        description,
        parameters,
        execute(_args, call) {
          signal = call.signal
          return new Promise<string>(() => {})
        },
      }),
    )
    const call = world.call("client__web__slow")
    await world.pass(285_000)
    expect(signal?.aborted).toBe(false)
    await world.pass(14_000)
    expect(signal?.aborted).toBe(true)
    expect(call.settled).toMatchObject({ is_error: true, text: expect.stringContaining("deadline") as string })
  })

  it("a call is acked at once, then looked up, parsed and executed; calls run at the same time (C22)", async () => {
    const world = await createWorld()
    const order: string[] = []
    const gates = new Map<string, () => void>()
    await serving(world, (client) =>
      client.addTool("act", {
        description,
        parameters,
        parse(args) {
          const { id } = args as { id: string }
          order.push(`parse ${id}`)
          return id
        },
        execute(id) {
          order.push(`execute ${id}`)
          return new Promise<string>((resolve) => gates.set(id, () => resolve(id)))
        },
      }),
    )
    const calls = ["a", "b"].map((id) => world.call("client__web__act", { id }))
    await world.quiet()
    expect(order.filter((step) => step.endsWith("a"))).toEqual(["parse a", "execute a"])
    expect(order.length).toBe(4)
    // Both came in one piece of the stream, or each in its own.
    expect(world.proxy.of("ack").flatMap(({ body }) => (body as { readonly call_ids: readonly string[] }).call_ids)).toHaveLength(2)
    expect(world.proxy.of("answer")).toEqual([])
    gates.get("b")?.()
    await world.quiet()
    expect(calls.map(({ settled }) => settled?.text)).toEqual([undefined, "b"])
    gates.get("a")?.()
    await world.quiet()
    expect(calls[0]?.settled?.text).toBe("a")
  })

  it("the model sees `client__<client>__<tool>`, by the name that the server gave the client (C26)", async () => {
    const world = await createWorld()
    const page = world.open()
    await page.serving("web", { who: () => "one" })
    const second = await page.serving("web", { who: () => "two" })
    expect(second.name).toBe("web")
    expect(second.state.name).toBe("web_2")
    expect(await world.toolNames()).toEqual(["client__web__who", "client__web_2__who"])
    const call = world.call("client__web_2__who")
    await world.quiet()
    expect(call.settled?.text).toBe("two")
  })
})

describe("declaring a set", () => {
  it("tools added before the registration go out with it, and all changes of one tick are one update (C12)", async () => {
    const world = await createWorld()
    const client = await serving(world, (one) => {
      one.addTool("a", world.tool())
      one.addTool("b", world.tool())
    })
    expect(world.proxy.of("register", "update").map(({ kind }) => kind)).toEqual(["register"])
    expect(await world.toolNames()).toEqual(["client__web__a", "client__web__b"])
    client.removeTool("a")
    client.addTool("c", world.tool())
    client.addTool("d", world.tool())
    await world.quiet()
    expect(world.proxy.of("update").length).toBe(1)
    expect(await world.toolNames()).toEqual(["client__web__b", "client__web__c", "client__web__d"])
  })

  it("a definition that is the same by value sends nothing and swaps the handler (C13)", async () => {
    const world = await createWorld()
    const add = (text: string) => ({ description, schema: z.object({ text: z.string() }), execute: () => text })
    const client = await serving(world, (one) => one.addTool("act", add("old")))
    const before = world.proxy.seen.length
    for (let count = 0; count < 100; count++) client.addTool("act", add(`version ${count}`))
    await world.quiet()
    expect(world.proxy.seen.length).toBe(before)
    expect(await answerOf(world, "act", { text: "x" })).toMatchObject({ text: "version 99" })
  })

  it("a tool that is removed is offered no more, and a call of it that runs still answers (C14)", async () => {
    const world = await createWorld()
    let finish = (): void => {}
    const client = await serving(world, (one) =>
      one.addTool("act", { description, parameters, execute: () => new Promise<string>((resolve) => (finish = () => resolve("done"))) }),
    )
    const call = world.call("client__web__act")
    await world.quiet()
    client.removeTool("act")
    await world.quiet()
    expect(await world.toolNames()).toEqual([])
    finish()
    await world.quiet()
    expect(call.settled).toMatchObject({ text: "done", is_error: false })
  })
})

describe("the life of a client", () => {
  it("`ready` resolves once it is registered, with its id and name in the state (C15)", async () => {
    const world = await createWorld()
    const client = world.open().session.createToolClient("web")
    const ready = client.ready.then(() => ({ ...client.state }))
    await world.quiet()
    expect(await ready).toMatchObject({ status: "serving", id: expect.any(String) as string, name: "web" })
  })

  it("a registration that the server refuses rejects `ready`, sets the state, and is told nobody else (C15)", async () => {
    const world = await createWorld({ server: { limits: { maxBodyBytes: 1_000 } } })
    const page = world.open()
    const client = page.session.createToolClient("web")
    client.addTool("a", { ...world.tool(), description: "a".repeat(1_000) })
    const error = client.ready.catch((reason: unknown) => reason)
    await world.quiet()
    expect(await error).toMatchObject({ code: "refused", status: 413 })
    expect(client.state).toMatchObject({ status: "failed", tools: [] })
    expect(client.state.error).toBe(await error)
    expect(page.errors).toEqual([])
    expect(page.session.state.status).toBe("open")
  })

  it("of more tools than the server takes those declared first are published, and each other is told once by its name", async () => {
    const world = await createWorld({ server: { limits: { maxToolsPerClient: 2 } } })
    const page = world.open()
    const client = page.session.createToolClient("web")
    for (const name of ["c", "a", "d", "b"]) client.addTool(name, world.tool())
    await client.ready
    const told = () => page.errors.map((error) => [(error as ToolDefinitionError).code, (error as ToolDefinitionError).tool])
    expect(client.state.tools).toEqual(["c", "a"])
    expect(told()).toEqual([["too_many_tools", "d"], ["too_many_tools", "b"]])
    client.addTool("a", { ...world.tool(), description: "Another." })
    client.removeTool("c")
    await world.quiet()
    expect(client.state.tools).toEqual(["a", "d"])
    expect((await world.toolNames()).length).toBe(2)
    expect(told()).toHaveLength(2)
  })

  it("an update with more tools than the server takes keeps those that are published, and adds what fits", async () => {
    const world = await createWorld({ server: { limits: { maxToolsPerClient: 2 } } })
    const page = world.open()
    const client = page.session.createToolClient("web")
    client.addTool("z", world.tool())
    await client.ready
    for (const name of ["b", "a"]) client.addTool(name, world.tool())
    await world.quiet()
    expect(client.state).toMatchObject({ status: "serving", tools: ["z", "b"] })
    expect(page.errors).toEqual([expect.objectContaining({ code: "too_many_tools", tool: "a" })])
  })

  it("its state is one immutable snapshot, replaced at each transition; a subscription hears each and ends (C16, C17)", async () => {
    const world = await createWorld()
    const page = world.open()
    const client = page.session.createToolClient("web")
    const seen: ToolClientState[] = []
    const stop = client.subscribe((state) => seen.push(state))
    client.addTool("act", world.tool())
    await world.quiet()
    await answerOf(world, "act")
    await page.session.deleteToolClient(client)
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.map(({ status }) => status).filter((status, index, all) => status !== all[index - 1])).toEqual(["serving", "leaving", "left"])
    expect(seen[0]).toMatchObject({ tools: ["act"], calls: [] })
    expect(seen.at(-1)).toMatchObject({ tools: [], calls: [{ phase: "answered" }] })
    stop()
    stop()
  })

  it("each call is recorded: its id, tool, arguments, phase and answer; answered is what the server took, failed what it never got (C18)", async () => {
    const world = await createWorld()
    const client = await serving(world, (one) => {
      one.addTool("good", world.tool())
      one.addTool("late", { description, parameters, execute: () => ({ text: "no", is_error: true }) })
    })
    await answerOf(world, "good", { a: 1 })
    world.proxy.next("answer", refuse(403))
    world.call("client__web__late")
    await world.quiet()
    expect(client.state.calls).toMatchObject([
      { callId: expect.any(String) as string, tool: "good", arguments: { a: 1 }, phase: "answered", answer: { text: "done", is_error: false } },
      { tool: "late", phase: "failed", answer: { text: "no", is_error: true } },
    ])
  })

  it("of settled calls the last fifty stay (C16)", async () => {
    const world = await createWorld()
    const client = await serving(world, (one) => one.addTool("act", world.tool()))
    for (let count = 0; count < 55; count++) world.call("client__web__act", { count })
    await world.quiet()
    expect(client.state.calls.length).toBe(50)
    expect(client.state.calls.at(-1)?.arguments).toEqual({ count: 54 })
  })

  it("registration waits for the stream, so that no call comes before anybody listens (C21)", async () => {
    const world = await createWorld()
    const held = hold()
    world.proxy.next("stream", held.fault)
    const client = world.open().session.createToolClient("web")
    await world.quiet()
    expect(world.proxy.of("register")).toEqual([])
    expect(client.state.status).toBe("joining")
    held.release()
    await world.quiet()
    expect(client.state.status).toBe("serving")
  })

  it("deleting it sends DELETE, aborts its calls and ends its pings; its calls are settled at the server (C19, C23)", async () => {
    const world = await createWorld()
    const page = world.open()
    let signal: AbortSignal | undefined
    const client = await page.serving("web", {
      slow(_args, call) {
        signal = call.signal
        return new Promise<string>(() => {})
      },
    })
    const call = world.call("client__web__slow")
    await world.quiet()
    await page.session.deleteToolClient(client)
    await world.quiet()
    expect(signal?.aborted).toBe(true)
    expect(client.state.status).toBe("left")
    expect(call.settled?.is_error).toBe(true)
    const before = world.proxy.seen.length
    await world.pass(120_000)
    expect(world.proxy.seen.length).toBe(before)
  })

  it("a delete that the server refuses rejects, and may be asked again (C19)", async () => {
    const world = await createWorld()
    const page = world.open()
    const client = await page.serving()
    world.proxy.next("delete", refuse(500))
    await expect(page.session.deleteToolClient(client)).rejects.toMatchObject({ status: 500 })
    expect(client.state.status).toBe("leaving")
    await page.session.deleteToolClient(client)
    expect(client.state.status).toBe("left")
    expect(await world.toolNames()).toEqual([])
  })

  it.each(["close", "abort"])("the session's %s deletes its clients and leaves nothing (C19)", async (how) => {
    const world = await createWorld()
    const controller = new AbortController()
    const { session, serving: serve } = world.open({ signal: controller.signal })
    const client = await serve()
    if (how === "close") await session.close()
    else controller.abort()
    await world.quiet()
    expect(session.state.status).toBe("closed")
    expect(client.state.status).toBe("left")
    expect(world.proxy.of("delete").length).toBe(1)
    expect(world.proxy.streams).toEqual([])
    expect(await world.toolNames()).toEqual([])
    expect(world.machine.pending).toBe(0)
  })

  it("once it has left, tools that are added or removed reach the server no more (C20)", async () => {
    const world = await createWorld()
    const page = world.open()
    const client = await page.serving()
    await page.session.deleteToolClient(client)
    const before = world.proxy.seen.length
    client.addTool("late", world.tool())
    client.removeTool("add")
    await world.quiet()
    expect(world.proxy.seen.length).toBe(before)
  })

  it("`onError` hears of pings, acks, answers and deletes that failed (C24)", async () => {
    const world = await createWorld()
    const page = world.open()
    const errors: unknown[] = []
    const client = await page.serving("web", { add: () => "done" }, { onError: (error) => errors.push(error) })
    world.proxy.next("ping", refuse(500))
    await world.pass(31_000)
    expect(errors.length).toBe(1)
    world.proxy.next("ack", refuse(500))
    world.proxy.next("answer", refuse(500))
    await world.pass(0)
    world.call("client__web__add")
    await world.quiet()
    expect(errors.length).toBe(3)
    await world.pass(5_000)
    world.proxy.next("delete", refuse(500))
    await page.session.deleteToolClient(client).catch(() => {})
    expect(errors.length).toBe(4)
    for (const error of errors) expect(error).toMatchObject({ name: "SessionError", status: 500 })
    expect(page.errors).toEqual([])
  })

  it("the session is a store of the same shape: one immutable snapshot, and one subscription (C25)", async () => {
    const world = await createWorld()
    const { session } = world.open()
    const statuses: string[] = []
    const stop = session.subscribe(({ status }) => statuses.push(status))
    const { state } = session
    await world.quiet()
    expect(state.status).toBe("connecting")
    expect(session.state).toMatchObject({ id: world.sessionId, status: "open", error: undefined, isRunning: false })
    await world.server.setRunning(world.sessionId, true)
    await world.quiet()
    expect(session.state.isRunning).toBe(true)
    await session.close()
    expect(statuses).toEqual(["open", "open", "closed"])
    stop()
  })
})

describe("two clients of one page, and of two", () => {
  it("serve one session side by side, each its own calls", async () => {
    const world = await createWorld()
    const [one, two] = [world.open(), world.open()]
    await one.serving("web", { who: () => "one" })
    await two.serving("web", { who: () => "two" })
    const calls = (await world.toolNames()).map((name) => world.call(name))
    await world.quiet()
    expect(calls.map(({ settled }) => settled?.text)).toEqual(["one", "two"])
    expect(world.proxy.of("answer").length).toBe(2)
  })

  it("ask for the token of each session by its id", async () => {
    const world = await createWorld()
    const { id } = await world.server.createSession()
    const asked: string[] = []
    const getToken = async (sessionId: string): Promise<string> => {
      asked.push(sessionId)
      return (await world.server.createToken(sessionId)).token
    }
    world.open({ getToken })
    await joined(world, world.open({ getToken, sessionId: id }), { who: () => "other" })
    expect(asked.sort()).toEqual([world.sessionId, id].sort())
    const call = world.call("client__web__who", {}, id)
    await world.quiet()
    expect(call.settled?.text).toBe("other")
    expect(await world.toolNames()).toEqual([])
  })
})

describe("a server in trouble", () => {
  it("that loses the answer to a registration has one client under one name", async () => {
    const world = await createWorld()
    world.proxy.next("register", loseAnswer, loseAnswer)
    const page = world.open()
    const client = page.session.createToolClient("web")
    client.addTool("act", world.tool())
    await world.pass(10_000)
    expect(client.state).toMatchObject({ status: "serving", name: "web" })
    expect(await world.toolNames()).toEqual(["client__web__act"])
  })

  it.each([true, false])("that restarts (with its memory: %s) is served again under the same name", async (keepsMemory) => {
    const world = await createWorld()
    const client = await serving(world, (one) => one.addTool("act", world.tool()))
    await world.stop({ keepsMemory })
    await world.pass(20_000)
    await world.start()
    await world.pass(60_000)
    expect(client.state).toMatchObject({ status: "serving", name: "web", tools: ["act"] })
    expect(await world.toolNames()).toEqual(["client__web__act"])
    expect(await answerOf(world, "act")).toMatchObject({ text: "done" })
  })

  it("that does not take the session's token any more fails it; a retry with a good one serves again", async () => {
    const world = await createWorld()
    let isSignedIn = true
    const page = world.open({ getToken: async (id) => (isSignedIn ? (await world.server.createToken(id)).token : "bad") })
    const client = await joined(world, page)
    isSignedIn = false
    const stop = world.proxy.always(["ping"], refuse(401))
    await world.pass(31_000)
    expect(page.session.state).toMatchObject({ status: "failed", error: { code: "unauthorized" } })
    expect(client.state.status).toBe("failed")
    stop()
    isSignedIn = true
    page.session.retry()
    await client.ready
    await world.quiet()
    expect(page.session.state.status).toBe("open")
    expect(client.state).toMatchObject({ status: "serving", name: "web", tools: ["add"] })
  })

  it("whose tokens end in the middle of a stream is given a new one, and nothing else is seen of it", async () => {
    const world = await createWorld({ server: { tokenTtlSeconds: 100 } })
    const page = world.open()
    const client = await page.serving()
    await world.pass(10 * 60_000)
    expect(client.state.status).toBe("serving")
    expect(page.errors).toEqual([])
    // One for each token, tried once with the old one, which has ended.
    expect(world.proxy.of("stream").length).toBeLessThan(16)
    expect(world.proxy.of("register")).toHaveLength(1)
    const tokens = new Set(world.proxy.seen.map(({ authorization }) => authorization)).size
    expect(tokens).toBeGreaterThan(3)
    expect(tokens).toBeLessThan(9)
    // The last one has ended this very moment.
    await world.pass(1_000)
    expect(await answerOf(world, "add")).toMatchObject({ text: "done" })
  })

  it.each([500, 503, 429, 404])("that refuses everything with %d is not stormed", async (status) => {
    const world = await createWorld()
    const page = world.open()
    const clients = await Promise.all(["a", "b", "c"].map((name) => page.serving(name, { act: () => "done" })))
    const stop = world.proxy.always(["stream", "register", "update", "ping", "ack", "answer"], refuse(status, { code: "of_a_proxy" }))
    for (const stream of world.proxy.streams) stream.cut()
    for (const client of clients) client.addTool("more", world.tool())
    const before = world.proxy.seen.length
    await world.pass(60_000)
    // A stream, and each of three clients with an update and a ping: all with back-offs of their own.
    expect(world.proxy.seen.length - before).toBeLessThan(90)
    stop()
    await world.pass(60_000)
    if (status !== 404) expect(clients.map(({ state }) => state.status)).toEqual(["serving", "serving", "serving"])
    else page.session.retry()
    await world.pass(60_000)
  })
})

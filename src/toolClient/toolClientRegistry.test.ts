import { describe, expect, it, vi } from "vitest"
import { aTool, createBench, recordOf } from "../../test/node/client/support/createBench.ts"
import { faults, network, refusal } from "../../test/node/client/support/createServerModel.ts"
import { createDeferred } from "../lib/deferred.ts"
import { ToolDefinitionError } from "../tool/toolDefinitionError.ts"

vi.spyOn(console, "warn").mockImplementation(() => {})

describe("the tool clients of a session", () => {
  it("of one name are told apart by ordinals, and the server keeps their names apart", async () => {
    const { registry, server, settle } = createBench()
    const clients = [registry.create("web"), registry.create("web"), registry.create("shop")]
    await settle()
    expect(server.of("register").map(({ form }) => form.instanceId)).toEqual(["tab:web:0", "tab:web:1", "tab:shop:0"])
    expect(clients.map(({ state }) => state.name)).toEqual(["web", "web_2", "shop"])
    expect(clients.map(({ name }) => name)).toEqual(["web", "web", "shop"])
  })

  it("take the lowest ordinal that is free, so that a reload finds them again", async () => {
    const { registry, server, settle } = createBench()
    const first = registry.create("web")
    registry.create("web")
    await settle()
    await registry.delete(first)
    registry.create("web")
    registry.create("web")
    await settle()
    expect(server.of("register").map(({ form }) => form.instanceId)).toEqual(["tab:web:0", "tab:web:1", "tab:web:0", "tab:web:2"])
  })

  it("take over the ordinal of one that is leaving", async () => {
    const { registry, server, settle } = createBench()
    const first = registry.create("web")
    await settle()
    void registry.delete(first)
    registry.create("web")
    await settle()
    expect(server.of("register").map(({ form }) => form.instanceId)).toEqual(["tab:web:0", "tab:web:0"])
  })

  it("have each a life of its own", async () => {
    const { registry, server, settle } = createBench()
    for (let count = 0; count < 3; count++) registry.create("web")
    await settle()
    expect(new Set(server.of("register").map(({ form }) => form.loadId)).size).toBe(3)
  })

  it.each(["constructor", "toString", "prototype", "valueOf"])("may be called %s", async (name) => {
    const { registry, settle, server } = createBench()
    const owner = registry.share(name)
    const client = registry.create(name)
    await settle()
    expect([...server.clients.values()].map((each) => each.name)).toEqual([name, `${name}_2`])
    owner.release()
    await registry.delete(client)
    await settle()
    expect(server.clients.size).toBe(0)
  })

  it.each(["", "a b", "__proto__", "a__b", "web_", "x".repeat(60)])("are refused a name that cannot be one: %j", async (name) => {
    const { registry, settle, server, clock } = createBench()
    expect(() => registry.create(name)).toThrow(ToolDefinitionError)
    expect(() => registry.share(name)).toThrow(ToolDefinitionError)
    await settle()
    expect(registry.size).toBe(0)
    expect(server.requests).toEqual([])
    expect(clock.holds).toBe(0)
  })

  it.each([0, NaN, -1, 100_000])("are refused a ttl of %d seconds, and nothing is left of them", async (seconds) => {
    const { registry, settle, server, clock } = createBench()
    expect(() => registry.create("web", { lifetime: { type: "ttl", data: { seconds } } })).toThrow(RangeError)
    await settle()
    expect(registry.size).toBe(0)
    expect(server.requests).toEqual([])
    expect(clock.holds).toBe(0)
  })

  it("say when the last of them has left", async () => {
    const onEmpty = vi.fn()
    const { registry } = createBench({ onEmpty })
    const clients = [registry.create("a"), registry.create("b")] as const
    await registry.delete(clients[0])
    expect(onEmpty).not.toHaveBeenCalled()
    await registry.delete(clients[1])
    expect(onEmpty).toHaveBeenCalledTimes(1)
  })

  it("are all deleted at once, and one that cannot be keeps back no other", async () => {
    const { registry, server, settle, errors } = createBench()
    const clients = ["a", "b", "c"].map((name) => registry.create(name))
    await settle()
    server.before = faults(["delete", refusal(403)])
    await registry.deleteAll()
    expect(clients.map(({ state }) => state.status)).toEqual(["leaving", "left", "left"])
    expect(errors.length).toBe(1)
  })

  it("report to their own handler where they have one", async () => {
    const mine = vi.fn()
    const { registry, server, settle, errors, clock } = createBench()
    registry.create("a", { onError: mine })
    registry.create("b")
    await settle()
    server.before = faults(["ping", network(), 2])
    await clock.advance(30_000)
    expect(mine).toHaveBeenCalledTimes(1)
    expect(errors.length).toBe(1)
  })

  it("do not register while an earlier one of their name leaves, and do once it could not", async () => {
    const { registry, server, settle, open } = createBench()
    const first = registry.create("web")
    await settle()
    server.before = faults(["delete", network()])
    await registry.delete(first).catch(() => {})
    const second = registry.create("web")
    await settle()
    open()
    await settle()
    // What the server has under this name is the one that should have gone: asked for again, it goes.
    await registry.delete(first)
    await settle()
    expect(second.state).toMatchObject({ status: "serving", name: "web" })
  })
})

describe("a dispatch", () => {
  it("goes to the client whose id it names", async () => {
    const { registry, settle, call, server } = createBench()
    const clients = ["a", "b"].map((name) => {
      const client = registry.create(name)
      client.addTool("who", aTool(() => name))
      return client
    })
    await settle()
    const callIds = clients.map((client) => call(client, "who"))
    await settle()
    expect(callIds.map((callId) => server.answers.get(callId)?.text)).toEqual(["a", "b"])
  })

  it.each(["of another process", "constructor", "__proto__", ""])("for a client that nobody here is (%j) is ignored: not acked, not answered", async (clientId) => {
    const { serving, call, settle, server, clock } = createBench()
    const client = await serving()
    const before = server.requests.length
    call(client, "add", {}, { clientId })
    await settle()
    expect(server.requests.length).toBe(before)
    expect(client.state.calls).toEqual([])
    expect(clock.holds).toBe(0)
  })

  it("that overtakes the answer to the registration is kept for it", async () => {
    const { registry, settle, call, server } = createBench()
    const gate = createDeferred<void>()
    server.after = ({ type }) => (type === "register" ? gate.promise : undefined)
    const client = registry.create("web")
    client.addTool("add", aTool())
    await settle()
    const callId = call(client, "add", {}, { clientId: "id1" })
    const foreign = call(client, "add", {}, { clientId: "another" })
    await settle()
    expect(server.of("ack")).toEqual([])
    gate.resolve()
    await settle()
    expect(server.answers.get(callId)?.text).toBe("done")
    expect(server.answers.has(foreign)).toBe(false)
    expect(recordOf(client, callId)?.phase).toBe("answered")
  })

  it("that was kept, and is cancelled meanwhile, runs nothing", async () => {
    const execute = vi.fn()
    const { registry, settle, call, server } = createBench()
    const gate = createDeferred<void>()
    server.after = ({ type }) => (type === "register" ? gate.promise : undefined)
    const client = registry.create("web")
    client.addTool("add", aTool(execute))
    await settle()
    const callId = call(client, "add", {}, { clientId: "id1" })
    registry.cancelCall(callId, "cancelled")
    gate.resolve()
    await settle()
    expect(execute).not.toHaveBeenCalled()
    expect(server.of("ack")).toEqual([])
  })

  it("is kept until the last registration is there that it may be for", async () => {
    const { registry, settle, call, server } = createBench()
    const gates = [createDeferred<void>(), createDeferred<void>()]
    server.after = ({ type }) => (type === "register" ? gates[server.of("register").length - 1]?.promise : undefined)
    registry.create("a")
    const second = registry.create("b")
    second.addTool("add", aTool())
    await settle()
    const callId = call(second, "add", {}, { clientId: "id2" })
    gates[0]!.resolve()
    await settle()
    expect(server.answers.size).toBe(0)
    gates[1]!.resolve()
    await settle()
    expect(server.answers.has(callId)).toBe(true)
  })

  it("is kept no more than a thousand of, by a server that floods", async () => {
    const { registry, settle, call, server } = createBench()
    const gate = createDeferred<void>()
    server.after = ({ type }) => (type === "register" ? gate.promise : undefined)
    const client = registry.create("web")
    client.addTool("add", aTool())
    await settle()
    for (let count = 0; count < 1_500; count++) call(client, "add", {}, { clientId: "id1" })
    gate.resolve()
    await settle()
    expect(server.of("ack").length).toBe(1_000)
  })
})

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

  it("tell whoever listens when one has come or gone", async () => {
    const { registry, settle } = createBench()
    const heard = vi.fn()
    const stop = registry.onChange(heard)
    const client = registry.create("web")
    expect(heard).toHaveBeenCalledTimes(1)
    await settle()
    expect(heard).toHaveBeenCalledTimes(1)
    await registry.delete(client)
    expect(heard).toHaveBeenCalledTimes(2)
    expect(registry.size).toBe(0)
    stop()
    registry.share("web")
    expect(heard).toHaveBeenCalledTimes(2)
  })

  it("send nothing when one of the same name has left: they need no ping and no update for it", async () => {
    const { registry, server, settle, clock } = createBench()
    const first = registry.create("web")
    registry.create("web")
    registry.create("web", { lifetime: { type: "never" } })
    await settle()
    await clock.advance(20_000)
    const before = server.requests.length
    await registry.delete(first)
    await settle()
    expect(server.requests.slice(before).map(({ type }) => type)).toEqual(["delete"])
  })

  it("are deleted only by their own session, which says so of any other's", async () => {
    const { registry, settle } = createBench()
    const other = createBench()
    const foreign = await other.serving()
    await expect(registry.delete(foreign)).rejects.toThrow(/"web" is not one of this session's/)
    await expect(registry.delete(foreign)).rejects.toBeInstanceOf(TypeError)
    await expect(registry.delete(null as never)).rejects.toThrow(/not one of this session's/)
    expect(other.server.clients.size).toBe(1)
    await other.registry.delete(foreign)
    await settle()
    // It is gone, which is what was asked for.
    await expect(registry.delete(foreign)).resolves.toBeUndefined()
    await expect(other.registry.delete(foreign)).resolves.toBeUndefined()
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

describe("a client that another living page has superseded", () => {
  /** The server deletes a client of this page although nobody here asked, as it does when another page has the same identity. */
  async function supersede(bench: ReturnType<typeof createBench>, id = "id1"): Promise<void> {
    await bench.server.port.remove(id)
    bench.registry.superseded(id)
    await bench.settle()
  }
  const instances = (bench: ReturnType<typeof createBench>): string[] => bench.server.of("register").map(({ form }) => form.instanceId)

  it("registers again under an identity of its own, instead of superseding the other for ever", async () => {
    const bench = createBench()
    const client = await bench.serving(["add"])
    await supersede(bench)
    expect(instances(bench)).toEqual(["tab:web:0", "tab2:web:0"])
    expect(client.state).toMatchObject({ status: "serving", id: "id2", tools: ["add"] })
    const callId = bench.call(client, "add")
    await bench.settle()
    expect(bench.server.answers.has(callId)).toBe(true)
  })

  it("shares the new identity with the other clients of its page, when those are superseded, too", async () => {
    const bench = createBench()
    bench.registry.create("a")
    bench.registry.create("b")
    await bench.settle()
    await supersede(bench, "id1")
    await supersede(bench, "id2")
    bench.registry.create("c")
    await bench.settle()
    expect(instances(bench)).toEqual(["tab:a:0", "tab:b:0", "tab2:a:0", "tab2:b:0", "tab2:c:0"])
  })

  it("takes another one each time", async () => {
    const bench = createBench()
    await bench.serving()
    await supersede(bench, "id1")
    await bench.clock.advance(10_000)
    await supersede(bench, "id2")
    expect(instances(bench)).toEqual(["tab:web:0", "tab2:web:0", "tab3:web:0"])
  })

  it("is not one that this page has deleted itself, nor one of another page", async () => {
    const bench = createBench()
    const client = await bench.serving()
    await supersede(bench, "another")
    expect(client.state.id).toBe("id1")
    const gone = bench.registry.delete(client)
    bench.registry.superseded("id1")
    await gone
    bench.registry.superseded("id1")
    await bench.settle()
    expect(instances(bench)).toEqual(["tab:web:0"])
    expect(bench.server.clients.size).toBe(0)
  })

  it("is not one that was released, and is deleted because of that", async () => {
    const bench = createBench()
    const owner = bench.registry.share("web")
    await bench.settle()
    const gate = createDeferred<void>()
    bench.server.after = ({ type }) => (type === "delete" ? gate.promise : undefined)
    owner.release()
    await bench.settle()
    // The event overtakes the answer.
    bench.registry.superseded("id1")
    gate.resolve()
    await bench.settle()
    expect(instances(bench)).toEqual(["tab:web:0"])
    expect(owner.client.state.status).toBe("left")
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

describe("a call that is held while a registration is in flight", () => {
  it.each([
    [200_000, ["k"]],
    [400_000, []],
  ])("for %d ms has only what is left of its deadline, and does not run once that has passed", async (ms, ran) => {
    const { registry, server, clock, settle, open, lose } = createBench()
    const executed: string[] = []
    const client = registry.create("web", { lifetime: { type: "never" } })
    client.addTool("add", aTool((_args, { callId }) => executed.push(callId)))
    server.after = ({ type }) => {
      if (type !== "register") return
      server.after = () => {}
      registry.dispatch("id1", { callId: "k", tool: "add", arguments: {}, deadlineMs: 300_000 })
      lose()
      throw network()
    }
    await settle()
    await clock.advance(ms)
    open()
    await settle()
    expect(client.state.status).toBe("serving")
    expect(executed).toEqual(ran)
  })
})

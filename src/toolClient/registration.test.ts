import { describe, expect, it } from "vitest"
import { aTool, createBench, recordOf } from "../../test/node/client/support/createBench.ts"
import { faults, network, refusal } from "../../test/node/client/support/createServerModel.ts"
import { createDeferred } from "../lib/deferred.ts"
import { SessionError } from "../wire/sessionError.ts"

/** The names of each set that was sent, in order. */
const sets = (server: ReturnType<typeof createBench>["server"]) =>
  server.requests.flatMap((request) => ("tools" in request ? [[request.type, request.tools.map(({ name }) => name)]] : []))

describe("a registration", () => {
  it("holds what was added before it, and waits for the stream", async () => {
    const { registry, server, settle, open } = createBench({ isOpen: false })
    const client = registry.create("web")
    client.addTool("add", aTool())
    client.addTool("sub", aTool())
    client.removeTool("sub")
    await settle()
    expect(server.requests).toEqual([])
    expect(client.state).toMatchObject({ status: "joining", id: undefined, name: undefined, tools: [] })
    open()
    await client.ready
    expect(sets(server)).toEqual([["register", ["add"]]])
    expect(client.state).toMatchObject({ status: "serving", id: "id1", name: "web", tools: ["add"], error: undefined })
  })

  it("says who it is: the tab, the client and the life of it", async () => {
    const { serving, server } = createBench()
    await serving()
    expect(server.of("register")[0]!.form).toMatchObject({
      name: "web",
      instanceId: "tab:web:0",
      loadId: expect.stringMatching(/^[0-9a-f]{32}$/),
      lifetime: { type: "ttl", data: { seconds: 60 } },
    })
  })

  it.each([
    [400, "refused"],
    [403, "refused"],
    [404, "session_not_found"],
    [409, "settled"],
    [413, "refused"],
    [422, "refused"],
  ] as const)("that is refused by %d (%s) fails the client, tells `ready` and nobody else, and is not repeated until the set is another one", async (status, code) => {
    const { registry, server, settle, errors, clock, open } = createBench()
    const error = refusal(status, code)
    server.before = faults(["register", error])
    const client = registry.create("web")
    client.addTool("add", aTool())
    await settle()
    await expect(client.ready).rejects.toBe(error)
    expect(client.state).toMatchObject({ status: "failed", error, tools: [] })
    expect(errors).toEqual([])
    client.addTool("add", aTool(() => "another handler"))
    open()
    await clock.advance(3_600_000)
    expect(server.requests.length).toBe(1)
    expect(clock.pending).toBe(0)
    expect(clock.holds).toBe(0)
    client.addTool("sub", aTool())
    await settle()
    await client.ready
    expect(client.state).toMatchObject({ status: "serving", error: undefined, tools: ["add", "sub"] })
    expect(server.requests.length).toBe(2)
    expect(clock.holds).toBe(0)
  })

  it("that is refused for ever is asked once a change, and leaves nothing behind", async () => {
    const bench = createBench()
    const { registry, server, settle, clock } = bench
    server.before = faults(["register", refusal(400), 100])
    const { client, release } = registry.share("web")
    for (const name of ["a", "b", "c"]) {
      client.addTool(name, aTool())
      await settle()
    }
    await clock.advance(600_000)
    expect(server.of("register").length).toBe(3)
    client.removeTool("a")
    release()
    await settle()
    expect(client.state.status).toBe("left")
    expect(server.of("register").length).toBe(3)
    expect(registry.size + clock.pending + clock.holds).toBe(0)
  })

  it("is not taken for left while its DELETE is on its way, also when its owner leaves meanwhile", async () => {
    const { registry, server, settle } = createBench()
    const { client, release } = registry.share("web")
    await settle()
    const gate = createDeferred<void>()
    server.before = ({ type }) => (type === "delete" ? gate.promise : undefined)
    const deleted = registry.delete(client)
    release()
    await settle()
    expect(client.state.status).toBe("leaving")
    gate.resolve()
    await deleted
    expect(client.state.status).toBe("left")
  })

  it("whose answer was lost and that is refused after its owner has left ends there", async () => {
    const { registry, server, settle, clock } = createBench()
    let failures: readonly unknown[] = [network(), refusal(400)]
    server.before = ({ type }) => {
      if (type !== "register") return
      const [failure, ...rest] = failures
      failures = rest
      if (failure) throw failure
    }
    const { client, release } = registry.share("web")
    client.addTool("add", aTool())
    await settle()
    release()
    await clock.advance(600_000)
    expect(server.of("register").length).toBe(2)
    expect(client.state.status).toBe("left")
    expect(registry.size + clock.pending + clock.holds).toBe(0)
  })

  it("that is refused and that nobody awaits is no unhandled rejection", async () => {
    const unhandled: unknown[] = []
    const listener = (reason: unknown): void => void unhandled.push(reason)
    process.on("unhandledRejection", listener)
    const { registry, server, settle } = createBench()
    server.before = faults(["register", refusal(400)])
    registry.create("web")
    await settle()
    await settle()
    process.off("unhandledRejection", listener)
    expect(unhandled).toEqual([])
  })

  it.each([["network", network()], [408, refusal(408, "unavailable")], [425, refusal(425, "unavailable")], [429, refusal(429)], [500, refusal(500)], [503, refusal(503)]] as const)(
    "that fails by %s is tried again while the client stays joining, each failure reported",
    async (_what, error) => {
      const { registry, server, settle, errors, clock } = createBench()
      server.before = faults(["register", error, 3])
      const client = registry.create("web")
      await settle()
      expect(client.state.status).toBe("joining")
      await clock.advance(20_000)
      await client.ready
      expect(server.of("register").length).toBe(4)
      expect(errors).toEqual([error, error, error])
    },
  )

  it("waits longer after each failure, and as long as the server asks", async () => {
    const { registry, server, settle, clock } = createBench({ random: 1 })
    server.before = faults(["register", network(), 4], ["register", refusal(503, "unavailable", 20_000)])
    registry.create("web")
    await settle()
    const start = clock.now()
    const at: number[] = []
    for (let count = server.requests.length; count < 6; ) {
      await clock.advance(100)
      for (; count < server.requests.length; count++) at.push(clock.now() - start)
    }
    expect(at).toEqual([500, 1_500, 3_500, 7_500, 7_500 + 20_000 + 4_000])
  })

  it("whose answer was lost is sent again with the same identity and the newest tools: one client, one name", async () => {
    const { registry, server, settle, clock } = createBench()
    server.after = faults(["register", network(), 2])
    const client = registry.create("web")
    client.addTool("old", aTool())
    await settle()
    client.removeTool("old")
    client.addTool("new", aTool())
    await clock.advance(10_000)
    const [first, ...others] = server.of("register")
    expect(others.length).toBe(2)
    for (const { form } of others) expect(form).toMatchObject({ instanceId: first!.form.instanceId, loadId: first!.form.loadId })
    expect([...server.clients.values()]).toMatchObject([{ name: "web" }])
    expect(server.tools()).toEqual(["new"])
    expect(client.state).toMatchObject({ status: "serving", tools: ["new"] })
  })

  it("and each update count one revision up, over all registrations, so that a late copy brings no older set back", async () => {
    const { serving, server, settle, clock, open } = createBench()
    const client = await serving(["a"])
    client.addTool("b", aTool())
    await settle()
    server.forget()
    await clock.advance(2_000)
    server.after = faults(["register", network()])
    open()
    await clock.advance(5_000)
    client.addTool("c", aTool())
    await settle()
    const revisions = server.requests.flatMap((request) => (request.type === "register" ? [request.form.revision] : request.type === "update" ? [request.revision] : []))
    expect(revisions.length).toBe(5)
    expect(revisions).toEqual([...new Set(revisions)].sort((x, y) => x - y))
  })

  it("that waits is sent at once when the stream is open again", async () => {
    const { registry, server, settle, open } = createBench()
    server.before = faults(["register", network()])
    const client = registry.create("web")
    await settle()
    open()
    await settle()
    expect(client.state.status).toBe("serving")
  })

  it("holds the process until it is settled, and no longer", async () => {
    const { registry, clock, settle, open } = createBench({ isOpen: false })
    const client = registry.create("web")
    await settle()
    expect(clock.holds).toBe(1)
    open()
    await client.ready
    expect(clock.holds).toBe(0)
  })
})

describe("changes of the tools after the registration", () => {
  it("of one tick are one update", async () => {
    const { serving, server, settle } = createBench()
    const client = await serving(["a", "b", "c"])
    client.removeTool("a")
    client.addTool("d", aTool())
    client.addTool("b", aTool(undefined, { description: "Another." }))
    client.removeTool("c")
    client.addTool("c", aTool())
    await settle()
    expect(server.of("update").length).toBe(1)
    expect([...server.tools()!].sort()).toEqual(["b", "c", "d"])
    expect(client.state.tools).toEqual(server.tools())
  })

  it("that leave what is published as it was send nothing, and swap the handler", async () => {
    const { serving, server, settle, call } = createBench()
    const client = await serving(["add"])
    client.addTool("add", aTool(() => "the new handler"))
    client.removeTool("add")
    client.addTool("add", aTool(() => "the newest handler"))
    client.removeTool("unknown")
    await settle()
    expect(server.of("update")).toEqual([])
    const callId = call(client, "add")
    await settle()
    expect(server.answers.get(callId)?.text).toBe("the newest handler")
  })

  it("are not lost where nobody changed anything: state and tools keep their identity", async () => {
    const { serving, settle } = createBench()
    const client = await serving(["add"])
    const { state } = client
    client.addTool("add", aTool())
    await settle()
    expect(client.state).toBe(state)
  })

  it("go out one at a time, the newest set last, and sets in between are skipped", async () => {
    const { serving, server, settle } = createBench()
    const client = await serving(["a"])
    const gate = createDeferred<void>()
    server.before = ({ type }) => (type === "update" ? gate.promise : undefined)
    client.addTool("b", aTool())
    await settle()
    client.addTool("c", aTool())
    await settle()
    client.addTool("d", aTool())
    await settle()
    expect(server.of("update").length).toBe(1)
    expect(client.state.tools).toEqual(["a"])
    gate.resolve()
    await settle()
    expect(sets(server).slice(1)).toEqual([["update", ["a", "b"]], ["update", ["a", "b", "c", "d"]]])
    expect(client.state.tools).toEqual(["a", "b", "c", "d"])
    const [first, second] = server.of("update")
    expect(second!.revision).toBeGreaterThan(first!.revision)
  })

  it("that are taken back while an update is on its way are taken back at the server", async () => {
    const { serving, server, settle } = createBench()
    const client = await serving(["a"])
    const gate = createDeferred<void>()
    server.before = ({ type }) => (type === "update" ? gate.promise : undefined)
    client.addTool("b", aTool())
    await settle()
    client.removeTool("b")
    await settle()
    gate.resolve()
    await settle()
    expect(server.tools()).toEqual(["a"])
    expect(client.state.tools).toEqual(["a"])
  })

  it("that are taken back after an update whose answer was lost are sent: the server may hold either set", async () => {
    const { serving, server, settle, clock } = createBench()
    const client = await serving(["a"])
    server.after = faults(["update", network()])
    client.addTool("b", aTool())
    await settle()
    expect(server.tools()).toEqual(["a", "b"])
    client.removeTool("b")
    await clock.advance(10_000)
    expect(server.tools()).toEqual(["a"])
  })

  it("are tried again when they fail in passing, the newest set each time", async () => {
    const { serving, server, settle, clock, errors } = createBench()
    const client = await serving(["a"])
    server.before = faults(["update", refusal(503), 2])
    client.addTool("b", aTool())
    await settle()
    client.addTool("c", aTool())
    await clock.advance(10_000)
    expect(sets(server).slice(1)).toEqual([["update", ["a", "b"]], ["update", ["a", "b", "c"]], ["update", ["a", "b", "c"]]])
    expect(errors.length).toBe(2)
    expect(client.state).toMatchObject({ status: "serving", tools: ["a", "b", "c"] })
  })

  it.each([400, 403, 409, 413, 422])("that are refused by %d are reported once and not repeated; the old set stays, and the next change is tried", async (status) => {
    const { serving, server, settle, clock, errors } = createBench({})
    const client = await serving(["a"])
    const error = refusal(status)
    server.before = faults(["update", error])
    client.addTool("b", aTool())
    await settle()
    expect(errors).toEqual([error])
    expect(client.state).toMatchObject({ status: "serving", tools: ["a"] })
    // Rendered again, with the same set.
    client.addTool("b", aTool())
    await clock.advance(20_000)
    expect(server.of("update").length).toBe(1)
    client.addTool("c", aTool())
    await settle()
    expect(server.of("update").length).toBe(2)
    expect(client.state.tools).toEqual(["a", "b", "c"])
  })

  it("back to a set that was refused before another one was taken send it again", async () => {
    const { serving, server, settle } = createBench()
    const client = await serving(["b"])
    server.before = faults(["update", refusal(403)])
    for (const [gone, come] of [["b", "a"], ["a", "c"], ["c", "a"]] as const) {
      client.removeTool(gone)
      client.addTool(come, aTool())
      await settle()
    }
    expect(server.tools()).toEqual(["a"])
    expect(client.state.tools).toEqual(["a"])
  })

  it("back to the old set after a refusal send nothing", async () => {
    const { serving, server, settle } = createBench()
    const client = await serving(["a"])
    server.before = faults(["update", refusal(422)])
    client.addTool("b", aTool())
    await settle()
    client.removeTool("b")
    await settle()
    expect(server.of("update").length).toBe(1)
  })

  it("made while the client registers again go out with the registration", async () => {
    const { serving, server, settle, lose, open } = createBench()
    const client = await serving(["a"])
    server.forget()
    lose()
    server.before = faults(["ping", refusal(404)])
    client.addTool("b", aTool())
    await settle()
    open()
    await settle()
    expect(server.tools()).toEqual(["a", "b"])
    expect(client.state.tools).toEqual(["a", "b"])
  })
})

describe("a client that the server does not know any more", () => {
  it.each([404, 410])("registers again at once under the same name when a ping is answered %d, with all current tools", async (status) => {
    const { serving, server, clock } = createBench()
    const client = await serving(["a"])
    const states: string[] = []
    client.subscribe(({ status: now }) => states.push(now))
    const { instanceId, loadId } = server.of("register")[0]!.form
    server.forget()
    server.before = faults(["ping", refusal(status)])
    await clock.advance(30_000)
    expect(states).toEqual(["joining", "serving"])
    expect(server.of("register")[1]!.form).toMatchObject({ instanceId, loadId })
    expect(client.state).toMatchObject({ id: "id2", name: "web", tools: ["a"] })
    await client.ready
  })

  it("registers again when an update, an ack or an answer is answered so", async () => {
    for (const what of ["update", "ack", "answer"] as const) {
      const { serving, server, settle, call } = createBench()
      const client = await serving(["add"])
      server.before = (request) => {
        if (request.type !== what || server.of("register").length > 1) return
        server.forget()
        throw refusal(404)
      }
      if (what === "update") client.addTool("sub", aTool())
      else call(client, "add")
      await settle()
      expect({ what, status: client.state.status, registered: server.of("register").length }).toEqual({ what, status: "serving", registered: 2 })
      expect(server.tools()).toEqual([...client.state.tools])
    }
  })

  it("registers once, whatever many requests say so at once", async () => {
    const { serving, server, settle, call, clock } = createBench()
    const client = await serving(["add"])
    await clock.advance(29_000)
    server.forget()
    for (let count = 0; count < 10; count++) call(client, "add")
    client.addTool("sub", aTool())
    await clock.advance(1_000)
    await settle()
    expect(server.of("register").length).toBe(2)
    expect(server.answers.size).toBe(10)
  })

  it("does not lose its new registration by late news of its old id", async () => {
    const { serving, server, settle, call, open, clock } = createBench()
    const client = await serving(["add"])
    const gate = createDeferred<void>()
    server.before = (request) => {
      if (request.type === "ack" && request.id === "id1") return gate.promise.then(() => Promise.reject(refusal(404)))
    }
    call(client, "add")
    server.forget()
    await clock.advance(2_000)
    open()
    await settle()
    expect(client.state.id).toBe("id2")
    gate.resolve()
    await settle()
    expect(client.state).toMatchObject({ status: "serving", id: "id2" })
    expect(server.of("register").length).toBe(2)
  })

  it("is not registered over and over where two servers do not know of each other", async () => {
    const { serving, server, clock, call, settle } = createBench()
    const client = await serving(["add"])
    // Registrations reach one server, answers the other.
    server.before = ({ type }) => {
      if (type === "answer") throw refusal(404)
    }
    call(client, "add")
    await settle()
    await clock.advance(60_000)
    expect(server.of("register").length).toBeLessThan(20)
  })
})

describe("deleting a client", () => {
  it("sends one DELETE, ends its pings, and it has left", async () => {
    const { serving, registry, server, clock } = createBench()
    const client = await serving()
    const states: string[] = []
    client.subscribe(({ status }) => states.push(status))
    await registry.delete(client)
    expect(states).toEqual(["leaving", "left"])
    expect(server.clients.size).toBe(0)
    expect(registry.size).toBe(0)
    expect(clock.pending).toBe(0)
    expect(clock.holds).toBe(0)
    await clock.advance(3_600_000)
    expect(server.of("ping")).toEqual([])
    expect(server.of("delete").length).toBe(1)
  })

  it("after which tools that are added or removed reach the server no more, also while it leaves", async () => {
    const { serving, registry, server, settle } = createBench()
    const client = await serving(["add"])
    const gone = registry.delete(client)
    client.addTool("b", aTool())
    await gone
    client.addTool("c", aTool())
    client.removeTool("add")
    await settle()
    expect(server.requests.map(({ type }) => type)).toEqual(["register", "delete"])
    expect(client.state.tools).toEqual([])
  })

  it("again, or one that has left, sends nothing more", async () => {
    const { serving, registry, server } = createBench()
    const client = await serving()
    await registry.delete(client)
    await registry.delete(client)
    expect(server.of("delete").length).toBe(1)
  })

  it("that is asked for twice at once is one request", async () => {
    const { serving, registry, server } = createBench()
    const client = await serving()
    await Promise.all([registry.delete(client), registry.delete(client), registry.delete(client)])
    expect(server.of("delete").length).toBe(1)
  })

  it.each([["network", network()], ["403", refusal(403)], ["500", refusal(500)]] as const)(
    "that fails by %s rejects and is reported; the client stays leaving without pings, and it may be asked again",
    async (_what, error) => {
      const { serving, registry, server, clock, errors } = createBench()
      const client = await serving()
      server.before = faults(["delete", error])
      await expect(registry.delete(client)).rejects.toBe(error)
      expect(errors).toEqual([error])
      expect(client.state).toMatchObject({ status: "leaving", tools: [] })
      await clock.advance(600_000)
      expect(server.requests.map(({ type }) => type)).toEqual(["register", "delete"])
      await registry.delete(client)
      expect(client.state.status).toBe("left")
    },
  )

  it("that fails is reported once, however many have asked for it", async () => {
    const { serving, registry, server, errors } = createBench()
    const client = await serving()
    server.before = faults(["delete", network()])
    const results = await Promise.allSettled([registry.delete(client), registry.delete(client)])
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"])
    expect(errors.length).toBe(1)
  })

  it.each([404, 410])("that is answered %d has what was asked for", async (status) => {
    const { serving, registry, server, errors } = createBench()
    const client = await serving()
    server.before = faults(["delete", refusal(status)])
    await registry.delete(client)
    expect(client.state.status).toBe("left")
    expect(errors).toEqual([])
  })

  it("before its stream was open sends nothing at all, and `ready` rejects", async () => {
    const { registry, server, clock, settle, open } = createBench({ isOpen: false })
    const client = registry.create("web")
    await registry.delete(client)
    open()
    await settle()
    expect(server.requests).toEqual([])
    expect(client.state.status).toBe("left")
    expect(clock.holds).toBe(0)
    await expect(client.ready).rejects.toThrow('"web"')
  })

  it("while its registration is on its way deletes what comes of it", async () => {
    const { registry, server, settle } = createBench()
    const gate = createDeferred<void>()
    server.after = ({ type }) => (type === "register" ? gate.promise : undefined)
    const client = registry.create("web")
    await settle()
    const gone = registry.delete(client)
    await settle()
    gate.resolve()
    await gone
    expect(server.clients.size).toBe(0)
    expect(server.requests.map(({ type }) => type)).toEqual(["register", "delete"])
    expect(client.state.status).toBe("left")
  })

  it("while the answer to its registration is lost still leaves nothing at the server", async () => {
    const { registry, server, settle, clock } = createBench()
    const gate = createDeferred<void>()
    server.after = ({ type }) => (type === "register" && server.of("register").length === 1 ? gate.promise.then(() => Promise.reject(network())) : undefined)
    const client = registry.create("web")
    await settle()
    const gone = registry.delete(client)
    await settle()
    gate.resolve()
    await gone
    expect(server.clients.size).toBe(0)
    expect(clock.pending).toBe(0)
  })

  it("while its registration waits after a failure ends the wait, and leaves nothing at the server", async () => {
    for (const isLost of [false, true]) {
      const { registry, server, settle, clock } = createBench()
      server[isLost ? "after" : "before"] = faults(["register", network()])
      const client = registry.create("web")
      await settle()
      await registry.delete(client)
      expect(server.clients.size).toBe(0)
      expect(client.state.status).toBe("left")
      expect(clock.pending).toBe(0)
      expect(clock.holds).toBe(0)
    }
  })

  it("while an update is on its way sends the DELETE after it", async () => {
    const { serving, registry, server, settle } = createBench()
    const client = await serving(["a"])
    const gate = createDeferred<void>()
    server.before = ({ type }) => (type === "update" ? gate.promise : undefined)
    client.addTool("b", aTool())
    await settle()
    const gone = registry.delete(client)
    client.addTool("c", aTool())
    await settle()
    expect(server.of("delete")).toEqual([])
    gate.resolve()
    await gone
    expect(server.requests.map(({ type }) => type)).toEqual(["register", "update", "delete"])
    expect(server.clients.size).toBe(0)
  })

  it("while an update waits after a failure sends no more updates", async () => {
    const { serving, registry, server, settle, clock } = createBench()
    const client = await serving(["a"])
    server.before = faults(["update", network(), 9])
    client.addTool("b", aTool())
    await settle()
    await registry.delete(client)
    await clock.advance(60_000)
    expect(server.requests.map(({ type }) => type)).toEqual(["register", "update", "delete"])
    expect(clock.pending).toBe(0)
  })

  it("while a ping is on its way leaves no timer behind, whatever comes of the ping", async () => {
    for (const error of [undefined, network(), refusal(404)]) {
      const { serving, registry, server, clock, settle, errors } = createBench()
      const client = await serving()
      const gate = createDeferred<void>()
      server.after = ({ type }) => (type === "ping" ? gate.promise.then(() => error && Promise.reject(error)) : undefined)
      await clock.advance(30_000)
      await registry.delete(client)
      gate.resolve()
      await settle()
      expect(clock.pending).toBe(0)
      expect(client.state.status).toBe("left")
      expect(errors).toEqual([])
      expect(server.of("register").length).toBe(1)
    }
  })

  it("that was refused, or whose registration was, holds the process no longer", async () => {
    const { registry, server, clock, settle } = createBench()
    server.after = faults(["register", network()])
    const client = registry.create("web")
    await settle()
    server.before = faults(["register", network()], ["delete", network()])
    await expect(registry.delete(client)).rejects.toThrow()
    expect(client.state.status).toBe("leaving")
    expect(clock.holds).toBe(0)
    await expect(client.ready).rejects.toThrow('"web"')
  })

  it("that has failed deletes nothing where there was nothing", async () => {
    const { registry, server, settle } = createBench()
    server.before = faults(["register", refusal(422)])
    const client = registry.create("web")
    await settle()
    await registry.delete(client)
    expect(client.state.status).toBe("left")
    expect(server.requests.length).toBe(1)
  })

  it("makes way for another of the same name, which then has the name", async () => {
    const { serving, registry, server, settle } = createBench()
    const client = await serving()
    const gone = registry.delete(client)
    const next = registry.create("web")
    await settle()
    await gone
    await settle()
    expect(next.state).toMatchObject({ status: "serving", name: "web" })
    expect(server.requests.map(({ type }) => type)).toEqual(["register", "delete", "register"])
  })
})

describe("a shared client that its last owner releases", () => {
  async function shared(bench: ReturnType<typeof createBench>) {
    const owner = bench.registry.share("web")
    owner.client.addTool("add", aTool())
    await bench.settle()
    return owner
  }

  it("is one for all who ask for its name, and is deleted with the last of them", async () => {
    const bench = createBench()
    const one = await shared(bench)
    const other = bench.registry.share("web")
    expect(other.client).toBe(one.client)
    one.release()
    one.release()
    await bench.settle()
    expect(bench.server.clients.size).toBe(1)
    other.release()
    await bench.settle()
    expect(bench.server.clients.size).toBe(0)
    expect(one.client.state.status).toBe("left")
    expect(bench.clock.pending).toBe(0)
    expect(bench.registry.size).toBe(0)
  })

  it("stays as it is when it is shared again within the tick", async () => {
    const bench = createBench()
    const one = await shared(bench)
    const before = bench.server.requests.length
    one.release()
    const again = bench.registry.share("web")
    await bench.settle()
    expect(again.client).toBe(one.client)
    expect(bench.server.requests.length).toBe(before)
    expect(one.client.state.status).toBe("serving")
  })

  it("withdraws its tools at once, and leaves when its running calls have answered", async () => {
    const bench = createBench()
    const owner = await shared(bench)
    const gate = createDeferred<string>()
    owner.client.addTool("slow", aTool(() => gate.promise))
    await bench.settle()
    const callId = bench.call(owner.client, "slow")
    await bench.settle()
    owner.release()
    await bench.settle()
    expect(bench.server.tools()).toEqual([])
    expect(owner.client.state.tools).toEqual([])
    gate.resolve("navigated")
    await bench.settle()
    expect(bench.server.answers.get(callId)).toEqual({ text: "navigated", is_error: false })
    expect(bench.server.clients.size).toBe(0)
    expect(owner.client.state.status).toBe("left")
    const types = bench.server.requests.map(({ type }) => type)
    expect(types.indexOf("answer")).toBeLessThan(types.indexOf("delete"))
  })

  it("stays failed when it was refused and is shared again within the tick", async () => {
    const bench = createBench()
    bench.server.before = faults(["register", refusal(422)])
    const one = await shared(bench)
    one.release()
    const again = bench.registry.share("web")
    await bench.settle()
    expect(again.client).toBe(one.client)
    expect(again.client.state.status).toBe("failed")
    again.client.addTool("other", aTool())
    await bench.settle()
    expect(again.client.state.status).toBe("serving")
  })

  it("publishes its tools again when it is shared again while calls run", async () => {
    const bench = createBench()
    const owner = await shared(bench)
    const gate = createDeferred<string>()
    owner.client.addTool("slow", aTool(() => gate.promise))
    await bench.settle()
    bench.call(owner.client, "slow")
    await bench.settle()
    owner.release()
    await bench.settle()
    const again = bench.registry.share("web")
    expect(again.client).toBe(owner.client)
    await bench.settle()
    expect(bench.server.tools()).toEqual(["add", "slow"])
    gate.resolve("done")
    await bench.settle()
    expect(bench.server.clients.size).toBe(1)
    expect(owner.client.state.status).toBe("serving")
  })

  it("still registers, when its server forgets it, to give the answers it owes", async () => {
    const bench = createBench()
    const owner = await shared(bench)
    const gate = createDeferred<string>()
    owner.client.addTool("slow", aTool(() => gate.promise))
    await bench.settle()
    const callId = bench.call(owner.client, "slow")
    await bench.settle()
    owner.release()
    await bench.settle()
    bench.server.forget()
    gate.resolve("done")
    await bench.clock.advance(20_000)
    expect(bench.server.answers.get(callId)?.text).toBe("done")
    expect(bench.server.clients.size).toBe(0)
    expect(bench.clock.pending).toBe(0)
  })

  it("serves again when it is shared again while its DELETE is on its way, as another load", async () => {
    const { registry, server, settle, errors } = createBench()
    const { client, release } = registry.share("web")
    client.addTool("add", aTool())
    await settle()
    const sent = createDeferred<void>()
    server.after = ({ type }) => (type === "delete" ? sent.promise : undefined)
    release()
    await settle()
    registry.share("web")
    sent.resolve()
    await settle()
    expect(client.state).toMatchObject({ status: "serving", tools: ["add"], error: undefined })
    expect(server.tools()).toEqual(["add"])
    const [first, second] = server.of("register").map(({ form }) => form)
    expect(second!.instanceId).toBe(first!.instanceId)
    expect(second!.loadId).not.toBe(first!.loadId)
    expect(errors).toEqual([])
  })

  it.each(["before it came", "after it came"])("serves again when it is shared again and its DELETE was lost %s", async (when) => {
    const { registry, server, settle, clock } = createBench()
    const { client, release } = registry.share("web")
    client.addTool("add", aTool())
    await settle()
    server[when === "before it came" ? "before" : "after"] = faults(["delete", network()])
    release()
    await settle()
    registry.share("web")
    await settle()
    expect(client.state).toMatchObject({ status: "serving", tools: ["add"] })
    expect(server.tools()).toEqual(["add"])
    await clock.advance(120_000)
    expect(server.tools()).toEqual(["add"])
    expect(server.of("delete").length).toBe(1)
  })

  it("stays when it is shared again while its DELETE is refused", async () => {
    const { registry, server, settle } = createBench()
    const { client, release } = registry.share("web")
    client.addTool("add", aTool())
    await settle()
    const sent = createDeferred<void>()
    server.before = async ({ type }) => {
      if (type !== "delete") return
      await sent.promise
      throw refusal(403)
    }
    release()
    await settle()
    registry.share("web")
    sent.resolve()
    await settle()
    expect(client.state).toMatchObject({ status: "serving", tools: ["add"] })
    expect(server.tools()).toEqual(["add"])
  })

  it.each(["answered", "lost"])("has left after its ttl, when its registration was %s and nothing answers any more: nothing is asked for ever", async (registration) => {
    const { registry, server, settle, clock } = createBench()
    if (registration === "lost") server.after = faults(["register", network()])
    const { client, release } = registry.share("web")
    await settle()
    server.before = () => {
      throw network()
    }
    release()
    await clock.advance(50_000)
    expect(registry.size).toBe(1)
    await clock.advance(20_000)
    expect(client.state.status).toBe("left")
    expect(registry.size).toBe(0)
    const { length } = server.requests
    await clock.advance(3_600_000)
    expect(server.requests.length).toBe(length)
    expect(clock.pending).toBe(0)
    expect(clock.holds).toBe(0)
  })

  it("leaves nothing at the server when it is released while it waits to find out whether its registration was taken", async () => {
    const { registry, server, settle, clock, controlOf } = createBench()
    const { client, release } = registry.share("web", { lifetime: { type: "never" } })
    await settle()
    // Two servers that do not know of each other.
    for (let count = 0; count < 2; count++) {
      controlOf(client).pageBack()
      await settle()
    }
    server.after = faults(["register", network()])
    while (server.of("register").length < 3) await clock.advance(100)
    release()
    await clock.advance(60_000)
    expect(client.state.status).toBe("left")
    expect(server.clients.size).toBe(0)
    expect(clock.pending).toBe(0)
  })

  it("says that it is joining when it is shared again while its DELETE has got no answer", async () => {
    const { registry, server, settle } = createBench()
    const { client, release } = registry.share("web")
    await settle()
    server.after = ({ type }) => (type === "delete" ? new Promise(() => {}) : undefined)
    release()
    await settle()
    registry.share("web")
    expect(client.state).toMatchObject({ status: "joining", tools: [] })
  })

  it("lives on when it is shared again before its ttl is over", async () => {
    const { registry, server, settle, clock } = createBench()
    const { client, release } = registry.share("web")
    client.addTool("add", aTool())
    await settle()
    server.before = () => {
      throw network()
    }
    release()
    await clock.advance(59_000)
    registry.share("web")
    await clock.advance(59_000)
    server.before = () => {}
    await clock.advance(60_000)
    expect(client.state).toMatchObject({ status: "serving", tools: ["add"] })
    expect(server.tools()).toEqual(["add"])
  })

  it("of a lifetime that never ends tries its DELETE for as long as it takes", async () => {
    const { registry, server, settle, clock } = createBench()
    const { client, release } = registry.share("web", { lifetime: { type: "never" } })
    await settle()
    server.before = () => {
      throw network()
    }
    release()
    await clock.advance(3_600_000)
    server.before = () => {}
    await clock.advance(60_000)
    expect(client.state.status).toBe("left")
    expect(server.clients.size).toBe(0)
  })

  it("tries its DELETE again while that fails in passing", async () => {
    const bench = createBench()
    const owner = await shared(bench)
    bench.server.before = faults(["delete", network(), 3])
    owner.release()
    await bench.clock.advance(30_000)
    expect(bench.server.clients.size).toBe(0)
    expect(owner.client.state.status).toBe("left")
    expect(bench.clock.pending).toBe(0)
  })

  it("has left when its DELETE is refused for good: pings end, and the ttl does the rest", async () => {
    const bench = createBench()
    const owner = await shared(bench)
    bench.server.before = faults(["delete", refusal(403)])
    owner.release()
    await bench.clock.advance(600_000)
    expect(bench.errors.length).toBe(1)
    expect(bench.server.of("ping")).toEqual([])
    expect(bench.clock.pending).toBe(0)
    expect(bench.registry.size).toBe(0)
    expect(owner.client.state.status).toBe("left")
  })

  it("before it was registered leaves nothing behind, at whatever point", async () => {
    for (const isOpen of [false, true]) {
      const bench = createBench({ isOpen })
      const owner = bench.registry.share("web")
      if (isOpen) await Promise.resolve()
      owner.release()
      await bench.settle()
      bench.open()
      await bench.settle()
      expect(bench.server.clients.size).toBe(0)
      expect(owner.client.state.status).toBe("left")
      expect(bench.clock.pending + bench.clock.holds).toBe(0)
    }
  })

  it("whose registration's answer was lost leaves nothing at the server", async () => {
    const bench = createBench()
    bench.server.after = faults(["register", network()])
    const owner = bench.registry.share("web")
    await bench.settle()
    owner.release()
    await bench.clock.advance(20_000)
    expect(bench.server.clients.size).toBe(0)
    expect(owner.client.state.status).toBe("left")
    expect(bench.clock.pending + bench.clock.holds).toBe(0)
  })

  it("that has failed has left", async () => {
    const bench = createBench()
    bench.server.before = faults(["register", refusal(422)])
    const owner = bench.registry.share("web")
    await bench.settle()
    expect(owner.client.state.status).toBe("failed")
    owner.release()
    await bench.settle()
    expect(owner.client.state.status).toBe("left")
    expect(bench.registry.size).toBe(0)
  })

  it("may be deleted outright meanwhile, which aborts its calls", async () => {
    const bench = createBench()
    const owner = await shared(bench)
    owner.client.addTool("slow", aTool(() => new Promise(() => {})))
    await bench.settle()
    const callId = bench.call(owner.client, "slow")
    await bench.settle()
    owner.release()
    await bench.settle()
    await bench.registry.delete(owner.client)
    expect(bench.server.clients.size).toBe(0)
    expect(recordOf(owner.client, callId)?.phase).toBe("failed")
    expect(bench.clock.pending + bench.clock.holds).toBe(0)
  })
})

describe("a session that fails and is retried", () => {
  const failure = new SessionError("unauthorized", "no")

  it("fails its clients, sends nothing more, and registers them again when it is retried", async () => {
    const { serving, server, controlOf, settle, clock, open } = createBench()
    const client = await serving()
    const control = controlOf(client)
    control.sessionFailed(failure)
    expect(client.state).toMatchObject({ status: "failed", error: failure, tools: [] })
    client.addTool("sub", aTool())
    await clock.advance(600_000)
    expect(server.requests.length).toBe(1)
    expect(clock.pending + clock.holds).toBe(0)
    control.sessionRetried()
    expect(client.state.status).toBe("joining")
    open()
    await client.ready
    await settle()
    expect(client.state).toMatchObject({ status: "serving", name: "web", tools: ["add", "sub"] })
    expect(server.clients.size).toBe(1)
  })

  it("gives a new `ready`; the first one has rejected", async () => {
    const { registry, controlOf, open, settle, clock } = createBench({ isOpen: false })
    const client = registry.create("web")
    const first = client.ready
    controlOf(client).sessionFailed(failure)
    await expect(first).rejects.toBe(failure)
    controlOf(client).sessionRetried()
    expect(clock.holds).toBe(1)
    open()
    await settle()
    await client.ready
    expect(clock.holds).toBe(0)
  })

  it("does not lose its new registration by the late failure of the old one", async () => {
    const { registry, server, controlOf, settle, open, clock } = createBench()
    const gate = createDeferred<void>()
    server.before = ({ type }) => (type === "register" && server.of("register").length === 1 ? gate.promise.then(() => Promise.reject(failure)) : undefined)
    const client = registry.create("web")
    await settle()
    controlOf(client).sessionFailed(failure)
    controlOf(client).sessionRetried()
    open()
    gate.resolve()
    await settle()
    await clock.advance(10_000)
    expect(client.state.status).toBe("serving")
    await client.ready
  })

  it("may be closed while its clients have failed", async () => {
    const { serving, controlOf, registry, clock } = createBench()
    const client = await serving()
    controlOf(client).sessionFailed(failure)
    await registry.deleteAll()
    expect(client.state.status).toBe("left")
    expect(clock.pending + clock.holds).toBe(0)
  })
})

describe("a client that needs no pings", () => {
  it("makes sure that the server still knows it when the stream is open again", async () => {
    const { serving, server, settle, open, lose } = createBench()
    const client = await serving(["add"], { lifetime: { type: "never" } })
    lose()
    server.forget()
    open()
    await settle()
    expect(server.tools()).toEqual(["add"])
    expect(client.state).toMatchObject({ status: "serving", id: "id2" })
    expect(server.of("ping")).toEqual([])
  })
})

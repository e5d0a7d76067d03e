import { describe, expect, it } from "vitest"
import { aTool, createBench } from "../../test/node/client/support/createBench.ts"
import { errorOfResponse } from "../wire/errorOfResponse.ts"

/** A server that takes no description with more characters than this, and so many tools. */
function setUp({ longest = 20, most = 10 } = {}) {
  const bench = createBench()
  const limits = { longest, most }
  bench.server.before = (request) => {
    if (!("tools" in request)) return
    const tools = request.tools.filter(({ description }) => description.length > limits.longest).map(({ name }) => name)
    const more = request.tools.length > limits.most ? { max_tools: limits.most } : tools.length > 0 ? { tools } : undefined
    if (more) throw errorOfResponse("A set", { status: 400, body: { error: { code: "invalid_request", message: "Too much.", ...more } } })!
  }
  return { ...bench, limits, told: () => bench.errors.map((error) => [(error as { code?: string }).code, (error as { tool?: string }).tool]) }
}

const wordy = (more = "") => aTool(undefined, { description: `More than the server wants to read.${more}` })

describe("a tool that the server refuses", () => {
  it("is left out and told with the server's reason, and the others are published", async () => {
    const { registry, server, settle, errors } = setUp()
    const client = registry.create("web")
    client.addTool("good", aTool())
    client.addTool("bad", wordy())
    client.addTool("fine", aTool())
    await settle()
    await client.ready
    expect(client.state).toMatchObject({ status: "serving", tools: ["good", "fine"], error: undefined })
    expect(server.requests.map(({ type }) => type)).toEqual(["register", "register"])
    expect(errors).toEqual([
      expect.objectContaining({ name: "ToolDefinitionError", code: "refused", tool: "bad", message: expect.stringContaining("Too much.") as string, cause: expect.objectContaining({ status: 400 }) as object }),
    ])
  })

  it("in an update sinks nothing of it: what goes, comes and changes beside it is published", async () => {
    const { serving, server, settle, told } = setUp()
    const client = await serving(["a", "b"])
    client.removeTool("a")
    client.addTool("b", wordy())
    client.addTool("c", aTool())
    await settle()
    expect(server.tools()).toEqual(["c"])
    expect(client.state.tools).toEqual(["c"])
    expect(told()).toEqual([["refused", "b"]])
  })

  it("is asked for again, and told again, only when its definition is another one", async () => {
    const { serving, server, settle, told, clock } = setUp()
    const client = await serving(["a"])
    client.addTool("b", wordy())
    await settle()
    const { length } = server.requests
    client.addTool("b", wordy())
    await clock.advance(0)
    expect(server.requests.length).toBe(length)
    client.addTool("b", wordy(" Still."))
    await settle()
    expect(server.of("update").length).toBe(2)
    expect(told()).toEqual([["refused", "b"], ["refused", "b"]])
    client.addTool("b", aTool())
    await settle()
    expect(server.tools()).toEqual(["a", "b"])
  })

  it("may be the only one: the client serves without tools", async () => {
    const { registry, settle } = setUp()
    const client = registry.create("web")
    client.addTool("bad", wordy())
    await settle()
    await client.ready
    expect(client.state).toMatchObject({ status: "serving", tools: [] })
  })

  it("is tried again at the next registration, with whatever number of tools: it may be another server", async () => {
    const { registry, server, settle, limits, told } = setUp({ most: 2 })
    const client = registry.create("web")
    client.addTool("bad", wordy())
    for (const name of ["a", "b"]) client.addTool(name, aTool())
    await settle()
    expect(client.state.tools).toEqual(["a", "b"])
    Object.assign(limits, { longest: 1_000, most: 3 })
    server.forget()
    client.removeTool("b")
    client.addTool("c", aTool())
    await settle()
    expect(client.state).toMatchObject({ status: "serving", tools: ["bad", "a", "c"] })
    expect(told()).toEqual([["too_many_tools", "b"], ["refused", "bad"]])
  })

  it("named by a server that was not sent it changes nothing: the refusal is final", async () => {
    const { registry, server, settle } = createBench()
    const refusal = errorOfResponse("A set", { status: 400, body: { error: { code: "invalid_request", message: "", tools: ["another", 7, null] as string[] } } })!
    server.before = () => {
      throw refusal
    }
    const client = registry.create("web")
    client.addTool("a", aTool())
    await settle()
    await expect(client.ready).rejects.toBe(refusal)
    expect(server.requests.length).toBe(1)
  })
})

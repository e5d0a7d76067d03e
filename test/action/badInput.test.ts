import { AgentRun, createActionClient, createItemStore, defineTool, fromPageTools, Sandbox, toPageTools } from "react-tool-client/tools"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { createTestSession } from "../../src/testing/createTestSession.ts"
import { rejection } from "./support/maps.ts"

describe("what a user writes wrongly is said at once, by a TypeError:", () => {
  it.each<[string, () => unknown, string]>([
    ["a run of nothing", () => new AgentRun(undefined as never), "new AgentRun needs a model"],
    ["a run without a model", () => new AgentRun({} as never), "new AgentRun needs a model"],
    ["a run without actions", () => new AgentRun({ model: "m" } as never), "new AgentRun needs actions, a map of tools by their names, not undefined"],
    ["a run whose actions are a promise", () => new AgentRun({ model: "m", actions: Promise.resolve({}) } as never), "await it"],
    ["a sandbox of nothing", () => new Sandbox(undefined as never), "new Sandbox needs actions"],
    ["a sandbox without actions", () => new Sandbox({} as never), "new Sandbox needs actions"],
    ["a sandbox with an action that is none", () => new Sandbox({ actions: { add: {} } } as never), '"add" is not a tool'],
    ["page tools of null", () => toPageTools(null as never), "toPageTools needs tools, a map of tools by their names, not null"],
    ["page tools of a list", () => toPageTools([] as never), "not a list"],
    ["tools of null", () => fromPageTools(null as never), "fromPageTools needs a tool client, or tools, a map of tools by their names, not null"],
    ["tools of null within a map", () => fromPageTools({ add: null } as never), '"add" is not a tool'],
    ["items that are no list", () => createItemStore({} as never), "createItemStore needs a list of items, or none, not object"],
    ["a test session of null", () => createTestSession(null as never), "createTestSession needs an object such as { id, clock }, or nothing, not null"],
  ])("%s", (_what, make, message) => {
    expect(make).toThrow(TypeError)
    expect(make).toThrow(message)
  })

  it.each([
    ["not a url", 'cannot read the baseUrl "not a url"'],
    ["localhost:3000", 'whose scheme is "localhost:"'],
    ["api.example", "cannot read the baseUrl"],
    ["ftp://api.example", 'whose scheme is "ftp:"'],
    ["https://api.example?key=1", 'has a "?" or a "#"'],
    ["https://ada:secret@api.example", "with a user name or a password in it"],
  ])("the baseUrl %s", (baseUrl, message) => {
    const make = (): unknown => createActionClient({ baseUrl })
    expect(make).toThrow(TypeError)
    expect(make).toThrow(message)
    if (baseUrl.includes("secret")) expect(make).not.toThrow(/secret/)
  })
})

describe("a baseUrl that is a path", () => {
  it.each(["/api", "", "./api", "//api.example"])("is taken: %j", (baseUrl) => {
    expect(createActionClient({ baseUrl }).baseUrl).toBe(baseUrl)
  })

  it("fails where there is no page, saying that nothing was sent", async () => {
    expect(await rejection(createActionClient({ baseUrl: "/api" }).manifest())).toMatchObject({ code: "failed", message: expect.stringContaining("nothing was sent: the baseUrl") })
  })

  it("is left to a fetch of the user's own", async () => {
    const asked: unknown[] = []
    const fetch = (url: unknown): Promise<Response> => {
      asked.push(url)
      return Promise.resolve(Response.json({ format: 1, version: "v", providers: [] }))
    }
    await createActionClient({ baseUrl: "/api", fetch }).manifest()
    await createActionClient({ baseUrl: "app://host", fetch }).manifest()
    expect(asked).toEqual(["/api/api/client/schema", "app://host/api/client/schema"])
  })
})

describe("a script that is none, or without a context,", () => {
  const sandbox = new Sandbox({ actions: {} })

  it.each<[unknown, unknown, string]>([
    [undefined, { logger: console }, "A script must be a string, not undefined"],
    [Promise.resolve("1"), { logger: console }, "not a value of the type object"],
    ["1", undefined, "{ logger: console } at least, must be an object, not undefined"],
  ])("is refused: %s, %s", async (code, context, message) => {
    const error = await rejection(sandbox.run(code as never, context as never))
    expect(error).toBeInstanceOf(TypeError)
    expect(error).toMatchObject({ message: expect.stringContaining(message) })
  })
})

describe("a tool that is executed without a context", () => {
  it.each([undefined, null])("does not run, and says so: %s", async (context) => {
    let runs = 0
    const tool = defineTool({ id: "demo.add", name: "Add", input: z.object({}), output: z.number(), execute: () => ++runs })
    expect(await rejection(tool.execute({}, context as never))).toMatchObject({ name: "ToolError", code: "failed", tool: "demo.add", message: expect.stringContaining("needs a context") })
    expect(runs).toBe(0)
  })
})

// What code without types may give the client: named at once, with what is right.
import { createSessionClient, parametersOf, type SessionClientOptions } from "react-tool-client/client"
import { createTestSession } from "react-tool-client/testing"
import { afterEach, describe, expect, it, vi } from "vitest"

const getToken = (): string => "token"
const good = { baseUrl: "https://agents.example.com", getToken }
const creating = (options: unknown) => () => createSessionClient(options as SessionClientOptions)

afterEach(() => {
  vi.restoreAllMocks()
})

describe("createSessionClient", () => {
  it.each([
    [undefined, "createSessionClient: its options must be an object, not undefined"],
    [null, "createSessionClient: its options must be an object, not null"],
    ["https://agents.example.com", 'createSessionClient: its options must be an object, not "https://agents.example.com"'],
    [{ getToken }, "createSessionClient: baseUrl must be a string, not undefined"],
    [{ ...good, baseUrl: new URL("https://agents.example.com") }, "createSessionClient: baseUrl must be a string, not a value of the type object"],
    [{ ...good, getToken: "token" }, 'createSessionClient: getToken must be a function, not "token"'],
    [{ ...good, fetch: 5 }, "createSessionClient: fetch must be a function, not a value of the type number"],
    [{ ...good, clock: Date.now }, "createSessionClient: clock must be an object, not a value of the type function"],
    [{ ...good, clock: null }, "createSessionClient: clock must be an object, not null"],
  ])("refuses %j", (options, message) => {
    expect(creating(options)).toThrow(new TypeError(message))
  })

  it.each(["agents.example.com", "localhost:8787", "ws://agents.example.com", "https://", "http://[::1", "https://me:secret@agents.example.com", "https://agents.example.com?a=b", "/agents#top", "//a b"])(
    "refuses the baseUrl %s, to which nothing could ever be sent",
    (baseUrl) => {
      vi.spyOn(console, "warn").mockImplementation(() => {})
      expect(creating({ ...good, baseUrl })).toThrow("createSessionClient: baseUrl must be like https://agents.example.com or /agents")
    },
  )

  it.each(["https://agents.example.com", "http://localhost:8787/", "HTTPS://agents.example.com/base", "/agents", "", "./agents", "../agents/", "//agents.example.com"])("takes the baseUrl %j", (baseUrl) => {
    expect(creating({ ...good, baseUrl })).not.toThrow()
  })

  it("takes any scheme that a fetch of the user's own may know", () => {
    expect(creating({ ...good, baseUrl: "app://agents", fetch: () => Promise.reject(new Error("nobody")) })).not.toThrow()
  })

  it("tells a developer of an option that there is not, before it refuses what is missing for it", () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {})
    expect(creating({ baseURL: "https://agents.example.com", gettoken: getToken })).toThrow(TypeError)
    expect(warn.mock.calls).toEqual([['react-tool-client: createSessionClient has no option "baseURL", "gettoken"; it has baseUrl, getToken, fetch, clock.']])
  })
})

describe("a session client", () => {
  it.each([
    [[5], "a value of the type number is no session's id"],
    [[undefined], "undefined is no session's id"],
    [["s", null], "A session's options must be an object, not null"],
    [["s", { onError: "log" }], `A session's onError must be a function, not "log"`],
    [["s", { signal: true }], "A session's signal must be an object, not a value of the type boolean"],
  ])("opens and shares nothing for %j", (args, message) => {
    const client = createSessionClient(good)
    expect(() => client.open(...(args as [string]))).toThrow(new TypeError(message))
    expect(() => client.share(...(args as [string]))).toThrow(new TypeError(message))
  })
})

describe("a session", () => {
  it.each([null, undefined, 5, {}, "web"])("deletes no tool client that is %j, and says so", async (given) => {
    await expect(createTestSession().deleteToolClient(given as never)).rejects.toThrow("not one of this session's")
  })

  it("makes no tool client whose onError is no function, and tells of options that there are not", () => {
    const session = createTestSession()
    expect(() => session.createToolClient("web", { onError: true as never })).toThrow(new TypeError('The onError of the tool client "web" must be a function, not a value of the type boolean'))
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {})
    session.createToolClient("web", { ttl: 5 } as never)
    expect(warn.mock.calls).toEqual([['react-tool-client: the tool client "web" has no option "ttl"; it has lifetime, onError.']])
  })
})

describe("a definition", () => {
  it("that is none has no parameters", () => {
    for (const none of [null, undefined, 5]) expect(() => parametersOf(none as never)).toThrow(expect.objectContaining({ code: "no_parameters" }))
  })

  it("with a property that was likely meant as another is told once, and one with properties of the application's own never", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {})
    const session = createTestSession()
    const web = session.createToolClient("web")
    const definition = { description: "Does it.", parameters: {}, execute: () => "done", category: "mine" }
    for (const description of ["One.", "Two."]) {
      web.addTool("a", { ...definition, description, timeoutMs: 5, Title: "A" } as never)
      await web.ready
      await session.settle()
    }
    expect(warn.mock.calls).toEqual([['react-tool-client: the tool "a": "timeoutMs" is ignored, use "timeout"; "Title" is ignored, use "title".']])
  })
})

import { createServer } from "node:http"
import { describe, expect, it } from "vitest"
import { createHubClient, type HubClient, type HubClientOptions } from "../../src/hub/index.ts"
import { createHubServer, type HubServerOptions } from "../../src/server/index.ts"
import { createTestClient, untilStatus } from "./support/client.ts"
import { authenticate, startHub } from "./support/hub.ts"

const right: HubClientOptions = { url: "wss://hub.example.com/ws", auth: { token: "ada" } }

describe("a hub client refuses at once, by a TypeError that says what to write,", () => {
  it.each([
    ["no options", undefined, "needs a url"],
    ["no url", { ...right, url: undefined }, "needs a url, where the hub's sockets are: write it like wss://hub.example.com/ws"],
    ["an empty url", { ...right, url: "" }, "needs a url"],
    ["a url that is none", { ...right, url: "http://" }, 'cannot read the url "http://"'],
    ["a url of another scheme", { ...right, url: "ftp://hub.example.com" }, 'whose scheme is "ftp:"'],
    ["a url with a fragment", { ...right, url: "wss://hub.example.com/ws#a" }, 'a WebSocket\'s url has no "#"'],
    ["no auth", { url: right.url }, "needs auth: { token } or { username, password }, each a string, or a function that gives them"],
    ["an empty token", { ...right, auth: { token: "" } }, "needs auth"],
    ["a token that is no text", { ...right, auth: { token: 7 } }, "needs auth"],
    ["a user name without a password", { ...right, auth: { username: "ada" } }, "needs auth"],
    ["a token as it is", { ...right, auth: "secret" }, "needs auth"],
    ["a WebSocket that is no class", { ...right, WebSocket: {} }, "needs a class as WebSocket"],
    ["an onError that is no function", { ...right, onError: "console" }, "needs a function as onError"],
  ])("%s", (_what, options, message) => {
    const create = (): unknown => createHubClient(options as never)
    expect(create).toThrow(TypeError)
    expect(create).toThrow(message)
    expect(create).not.toThrow(/secret/)
  })

  it.each(["/ws", "ws", "ws://localhost:1/ws", "https://hub.example.com/ws?region=eu"])("and takes %s", (url) => {
    expect(createHubClient({ ...right, url }).state.status).toBe("connecting")
  })
})

describe("a hub client sends nothing, and says what to write, where it is asked", () => {
  const to = () => createTestClient("ws://127.0.0.1:1/ws").client
  const invalid = (message: string) => ({ name: "RemoteError", code: "invalid_request", message: expect.stringContaining(message) })

  it.each<[string, (client: HubClient) => Promise<unknown>, string]>([
    ["for a call of no remote", (client) => client.call(null as never, "f"), "hub.call needs the name of a remote first"],
    ["for a call of a remote without a name", (client) => client.call("", "f"), 'not ""'],
    ["for a call of no function", (client) => client.call("r", 7 as never), "hub.call needs the name of one of the remote's functions second"],
    ["for a call whose options are null", (client) => client.call("r", "f", {}, null as never), "hub.call needs an object such as { signal } as its options, or none, not null"],
    ["for a call whose options are a text", (client) => client.call("r", "f", {}, "x" as never), 'not "x"'],
    ["for a call whose signal is none", (client) => client.call("r", "f", {}, { signal: {} as never }), "hub.call needs an AbortSignal"],
    ["for a list whose options are null", (client) => client.remotes(null as never), "hub.remotes needs an object"],
    ["for no prompt", (client) => client.prompt(null as never), "hub.prompt needs { agentId, instruction }, not null"],
    ["for a prompt of no agent", (client) => client.prompt({ instruction: "Hi." } as never), "hub.prompt needs an agentId"],
    ["for a prompt without an instruction", (client) => client.prompt({ agentId: 7 } as never), "hub.prompt needs an instruction"],
    ["for a prompt whose options are null", (client) => client.prompt({ agentId: 7, instruction: "Hi." }, null as never), "hub.prompt needs an object"],
  ])("%s", async (_what, ask, message) => {
    const client = to()
    await expect(ask(client)).rejects.toMatchObject(invalid(message))
    expect(client.state.status).toBe("connecting")
  })

  it("for a local remote's call, too", async () => {
    const client = to()
    await client.local.createToolClient("here").ready
    await expect(client.call("here", "f", {}, null as never)).rejects.toMatchObject(invalid("hub.call needs an object"))
  })

  it("for events that nobody hears", () => {
    expect(() => to().onEvent(null as never)).toThrow(expect.objectContaining(invalid("hub.onEvent needs a function")))
  })
})

describe("a hub client fails", () => {
  it("for good where a relative url has no page", async () => {
    const { client } = createTestClient("/ws")
    client.subscribe(() => {})
    await untilStatus(client, "failed")
    expect(client.state.error).toMatchObject({ code: "refused", message: expect.stringContaining('The url "/ws" is relative') })
  })

  it("for the moment where its function gives no credentials", async () => {
    const { url } = await startHub()
    const { client } = createTestClient(url, { auth: () => ({ token: undefined as unknown as string }) })
    client.subscribe(() => {})
    await untilStatus(client, "reconnecting")
    expect(client.state.error).toMatchObject({ code: "token", message: "The function auth gave no credentials for the hub: { token } or { username, password }, each a string." })
  })
})

describe("a hub refuses at once", () => {
  it.each<[string, unknown, string]>([
    ["no options", undefined, "needs authenticate: a function"],
    ["no authenticate", {}, "needs authenticate: a function"],
    ["an agent that cannot run", { authenticate, agents: { 7: {} } }, 'the agent "7" has no function `run`'],
    ["a misspelt option", { authenticate, allowedOrgins: [] }, 'there is no option "allowedOrgins". Known: authenticate, agents, allowedOrigins'],
    ["an option of other capitals", { Authenticate: authenticate }, 'there is no option "Authenticate". Did you mean "authenticate"?'],
    ["agents that are none", { authenticate, agents: null }, "agents must be an object of agents by id: { helper: { tools, run } }, not null"],
    ["an agent whose tools are no list", { authenticate, agents: { 7: { tools: {}, run() {} } } }, 'the agent "7" must have a list as `tools`'],
    ["a clock that is none", { authenticate, clock: {} }, "clock must be a clock: { now, setTimeout"],
    ["a logger that is none", { authenticate, logger: () => {} }, "logger must be a logger: { warn, error }, such as console, not a function"],
    ["one origin that is no list", { authenticate, allowedOrigins: "https://app.example" }, 'allowedOrigins must be "*" or a list of strings, not "https://app.example"'],
    ["a host with a port", { authenticate, allowedHosts: ["hub.example:443"] }, "without a port"],
    ["an origin that no browser sends", { authenticate, allowedOrigins: ["app.example/"] }, '"app.example/" is not an origin'],
  ])("%s", (_what, options, message) => {
    const create = (): unknown => createHubServer(options as HubServerOptions)
    expect(create).toThrow(TypeError)
    expect(create).toThrow(message)
  })

  it.each(["ws", "", "/ws?a", 7])("to listen to the path %j", async (path) => {
    await expect(createHubServer({ authenticate }).attach(createServer(), path as string)).rejects.toThrow(TypeError)
  })

  it("what is no server", async () => {
    await expect(createHubServer({ authenticate }).attach({} as never)).rejects.toThrow("needs a server of node:http")
  })

  it("to listen to one path twice, and may after it was detached", async () => {
    const hub = createHubServer({ authenticate })
    const http = createServer()
    const detach = await hub.attach(http)
    await expect(hub.attach(http)).rejects.toThrow('attached to "/ws" of this server already')
    detach()
    await hub.attach(http)
    await hub.close()
  })
})

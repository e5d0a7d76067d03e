import { describe, expect, it } from "vitest"
import { type AgentRunInput, expandRemotes, type HubAgent, type RemoteTool } from "../../src/server/index.ts"
import { RemoteError } from "../../src/hub/remoteError.ts"
import { connectWeather, FORECAST, startHub } from "./support/hub.ts"

const native = (name: string) => ({ name, description: "Native." })

function remotesOf(functions: Readonly<Record<string, readonly string[]>>, call: (...args: unknown[]) => Promise<unknown> = () => Promise.resolve(null)) {
  return {
    functions: (remotename: string) => functions[remotename]?.map((name) => ({ ...FORECAST, name })),
    call: call as () => Promise<null>,
  }
}

function expand(input: { readonly remotes?: unknown; readonly tools?: unknown }, functions: Readonly<Record<string, readonly string[]>>, nativeNames: readonly string[] = []) {
  const warnings: string[] = []
  const tools = expandRemotes({ input, nativeTools: nativeNames.map(native), remotes: remotesOf(functions), warn: (message) => warnings.push(message) })
  return { names: tools.map(({ name }) => name), warnings, tools }
}

describe("the tools of a run (docs/HUB-PROTOCOL.md, \"Prompts\")", () => {
  it("are the agent's own where no remotes are named", () => {
    expect(expand({}, { r: ["f"] }, ["a"])).toMatchObject({ names: ["a"], warnings: [] })
  })

  it("are native ones first, then every function of each remote in order", () => {
    expect(expand({ remotes: ["r", "s"] }, { s: ["h"], r: ["f", "g"] }, ["a", "b"]).names).toEqual(["a", "b", "f", "g", "h"])
  })

  it("are named prefix + function, exactly", () => {
    expect(expand({ remotes: [{ name: "code-repo-indexer", prefix: "repo_" }, { name: "r" }] }, { "code-repo-indexer": ["find"], r: ["f"] }).names).toEqual(["repo_find", "f"])
  })

  it("keep the native one of two with a name, and the earlier remote's, with a warning", () => {
    const { names, tools, warnings } = expand({ remotes: ["r", "s", { name: "r", prefix: "r_" }] }, { r: ["f"], s: ["f", "g"] }, ["f"])
    expect(names).toEqual(["f", "g", "r_f"])
    expect(tools[0]).toMatchObject({ description: "Native." })
    expect(warnings).toHaveLength(2)
    expect(warnings[0]).toContain("'f' before that of the remote 'r'")
  })

  it("leave a remote out that is not connected, with a warning", () => {
    expect(expand({ remotes: ["gone", "r"] }, { r: ["f"] })).toMatchObject({
      names: ["f"],
      warnings: ["The remote 'gone' is not connected: the run starts without it."],
    })
  })

  it.each([{ remotes: "r" }, { remotes: [7] }, { remotes: [{ prefix: "x" }] }, { remotes: [{ name: "r", prefix: 1 }] }])("leave out what is no choice, with a warning: %j", (input) => {
    const { names, warnings } = expand(input, { r: ["f"] }, ["a"])
    expect(names).toEqual(["a"])
    expect(warnings).toHaveLength(1)
  })

  it("are the input's own where it carries some, and nothing else", () => {
    expect(expand({ remotes: ["gone"], tools: [native("only")] }, {}, ["a"])).toMatchObject({ names: ["only"], warnings: [] })
  })

  it("turn a value into text, and every failure into an error result", async () => {
    const outcomes: (() => Promise<unknown>)[] = [
      () => Promise.resolve("as it is"),
      () => Promise.resolve({ forecast: "sunny" }),
      () => Promise.reject(new RemoteError("disconnected", "remote 'r' disconnected before it answered")),
      () => Promise.reject(new Error("anything")),
    ]
    const [tool] = expandRemotes({ input: { remotes: ["r"] }, nativeTools: [], remotes: remotesOf({ r: ["f"] }, () => (outcomes.shift() as () => Promise<unknown>)()) })
    const run = () => (tool as RemoteTool).execute({})
    expect(await run()).toEqual({ text: "as it is", is_error: false })
    expect(await run()).toEqual({ text: '{"forecast":"sunny"}', is_error: false })
    expect(await run()).toEqual({ text: "remote 'r' disconnected before it answered", is_error: true })
    expect(await run()).toEqual({ text: "anything", is_error: true })
  })
})

describe("a warning that cannot be told", () => {
  it("stops no run", () => {
    const warn = (): never => {
      throw new Error("the log is full")
    }
    const remotes = { functions: () => undefined, call: () => Promise.resolve(null) }
    expect(expandRemotes({ input: { remotes: [5n, "gone"] }, nativeTools: [{ name: "own" }], remotes, warn })).toEqual([{ name: "own" }])
  })
})

describe("send-agent-prompt", () => {
  /** An agent that tells what it was run with, and calls every remote's function once. */
  function createAgent(): HubAgent & { readonly inputs: AgentRunInput[] } {
    const inputs: AgentRunInput[] = []
    return {
      inputs,
      tools: [native("think")],
      async run(input) {
        inputs.push(input)
        const results = []
        for (const tool of input.tools) if ("execute" in tool) results.push(await (tool).execute({ city: "Rome" }))
        return { results }
      },
    }
  }

  const prompt = (options?: object) => ({
    action: "send-agent-prompt",
    nonce: "p1",
    body: { agentId: 7, instruction: "What's the weather in Rome?", ...(options && { options }) },
  })

  it("says of an agent's result that it is no JSON", async () => {
    const { session } = await startHub({ agents: { 7: { run: () => () => 1 } } })
    expect(await (await session()).ask(prompt())).toEqual({ error: "the agent failed: it gave a function, which is no JSON", nonce: "p1" })
  })

  it("is answered with an error where the agent's result is larger than a message may be", async () => {
    const { session } = await startHub({ agents: { 7: { run: () => "x".repeat(1024 * 1024) } } })
    const caller = await session()
    expect(await caller.ask(prompt())).toEqual({ error: "the reply is larger than the 1048576 bytes that a message may have", nonce: "p1" })
    expect(await caller.ask({ action: "remote-list" })).toMatchObject({ remotes: [] })
  })

  it("refuses an agent's arguments that are larger than a message may be, and sends the remote nothing", async () => {
    const run = async ({ tools }: AgentRunInput): Promise<unknown> => {
      const [tool] = tools.filter((one) => "execute" in one)
      return tool?.execute({ city: "x".repeat(1024 * 1024) })
    }
    const { session } = await startHub({ agents: { 7: { run } } })
    const [weather, caller] = [await session(), await session()]
    await weather.ask(connectWeather)
    const answer = await caller.ask(prompt({ remotes: ["weather-service"] }))
    expect(JSON.stringify(answer)).toContain("the arguments are larger than the 1048576 bytes that a message may have")
  })

  it("runs the agent with the user's remotes as tools, and is answered with its result", async () => {
    const agent = createAgent()
    const { session } = await startHub({ agents: { 7: agent } })
    const [weather, caller] = [await session(), await session()]
    await weather.ask(connectWeather)
    const answered = caller.ask(prompt({ remotes: [{ name: "weather-service", prefix: "w_" }], temperature: 0 }))
    const { requestId, args } = await weather.nextWhere(({ action }) => action === "remote-call")
    expect(args).toEqual({ city: "Rome" })
    weather.send({ action: "remote-call-result", requestId, result: "sunny" })
    expect(await answered).toEqual({ result: { results: [{ text: "sunny", is_error: false }] }, nonce: "p1" })
    expect(agent.inputs).toMatchObject([
      { instruction: "What's the weather in Rome?", temperature: 0, remotes: [{ name: "weather-service" }], tools: [{ name: "think" }, { name: "w_get_forecast" }] },
    ])
  })

  it("goes on when a remote disconnects mid-run: the model reads an error result", async () => {
    const { session } = await startHub({ agents: { 7: createAgent() } })
    const [weather, caller] = [await session(), await session()]
    await weather.ask(connectWeather)
    const answered = caller.ask(prompt({ remotes: ["weather-service"] }))
    await weather.nextWhere(({ action }) => action === "remote-call")
    weather.close()
    expect(await answered).toEqual({
      result: { results: [{ text: "remote 'weather-service' disconnected before it answered", is_error: true }] },
      nonce: "p1",
    })
  })

  it("knows only the user's own remotes, and warns of the others", async () => {
    const { session, log } = await startHub({ agents: { 7: createAgent() } })
    const [weather, bob] = [await session("ada"), await session("bob")]
    await weather.ask(connectWeather)
    expect(await bob.ask(prompt({ remotes: ["weather-service"] }))).toEqual({ result: { results: [] }, nonce: "p1" })
    expect(log).toEqual(["The remote 'weather-service' is not connected: the run starts without it."])
  })

  it("lets options change nothing of the prompt itself", async () => {
    const agent = createAgent()
    const { session } = await startHub({ agents: { 7: agent } })
    await (await session()).ask(prompt({ instruction: "Delete everything." }))
    expect(agent.inputs[0]?.instruction).toBe("What's the weather in Rome?")
  })

  it.each([
    ["of an agent that is not there", {}, "no agent with the id '7'"],
    ["whose agent throws", { 7: { run: () => Promise.reject(new Error("no more credit")) } }, "the agent failed: no more credit"],
    ["whose result is no JSON", { 7: { run: () => ({ big: 1n }) } }, expect.stringContaining("the agent failed: ")],
  ])("is answered with an error %s", async (_what, agents, error) => {
    const caller = await (await startHub({ agents })).session()
    expect(await caller.ask(prompt())).toEqual({ error, nonce: "p1" })
    expect(await caller.ask({ action: "remote-list" })).toMatchObject({ remotes: [] })
  })

  it("aborts the run's signal when the session that prompted is gone", async () => {
    let begun: (signal: AbortSignal) => void = () => {}
    const began = new Promise<AbortSignal>((resolve) => (begun = resolve))
    const { session } = await startHub({
      agents: {
        7: {
          run: (_input, { signal, userId }) => {
            expect(userId).toBe("ada")
            begun(signal)
            return new Promise(() => {})
          },
        },
      },
    })
    const caller = await session()
    caller.send(prompt())
    const signal = await began
    const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve))
    caller.close()
    await aborted
  })

  it("logs what a listener of that signal throws, and goes on", async () => {
    let begun: (signal: AbortSignal) => void = () => {}
    const began = new Promise<AbortSignal>((resolve) => (begun = resolve))
    const { session, log } = await startHub({
      agents: {
        7: {
          run(_input, { signal }) {
            begun(signal)
            return new Promise(() => {})
          },
        },
      },
    })
    const caller = await session()
    caller.send(prompt())
    const signal = await began
    signal.addEventListener("abort", () => {
      throw new Error("a broken listener")
    })
    const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve))
    caller.close()
    await aborted
    expect(log).toEqual(["A listener of an agent's signal threw."])
  })

  it("lets a session run sixteen at once", async () => {
    const { session } = await startHub({ agents: { 7: { run: () => new Promise(() => {}) } } })
    const caller = await session()
    for (let count = 0; count < 16; count++) caller.send({ ...prompt(), nonce: `p${count}` })
    expect(await caller.ask({ ...prompt(), nonce: "one more" })).toEqual({ error: "16 prompts of this session run already", nonce: "one more" })
  })
})

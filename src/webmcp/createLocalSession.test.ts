import { describe, expect, it, vi } from "vitest"
import { createFakeClock } from "../testing/fakeClock.ts"
import { createLocalSession } from "./createLocalSession.ts"

const greet = { description: "Greet.", parameters: { type: "object", properties: {} }, execute: () => "Hello" } as const

describe("a local session", () => {
  it("is open from the beginning, and serves what is declared", async () => {
    const session = createLocalSession()
    expect(session.state).toEqual({ id: "local", status: "open", error: undefined, isRunning: false })
    const client = session.createToolClient("web")
    client.addTool("greet", greet)
    await client.ready
    expect(client.state).toMatchObject({ status: "serving", name: "web", tools: ["greet"] })
    expect(await client.local.call("greet", {})).toEqual({ text: "Hello", is_error: false })
  })

  it("keeps equal names apart, shares by name, and gives a name back that is free again", async () => {
    const session = createLocalSession({ id: "mine" })
    expect(session.state.id).toBe("mine")
    const [one, two] = [session.createToolClient("web"), session.createToolClient("web")]
    await Promise.all([one.ready, two.ready])
    expect([one.state.name, two.state.name]).toEqual(["web", "web_2"])
    await session.deleteToolClient(one)
    const three = session.createToolClient("web")
    await three.ready
    expect(three.state.name).toBe("web")
    const shared = session.shareToolClient("panel")
    expect(session.shareToolClient("panel").client).toBe(shared.client)
  })

  it("needs no timer to stay, whatever lifetime is asked for", async () => {
    const clock = createFakeClock()
    const session = createLocalSession({ clock })
    const client = session.createToolClient("web", { lifetime: { type: "ttl", data: { seconds: 2 } } })
    await client.ready
    expect(clock.pending).toBe(0)
    expect(clock.holds).toBe(0)
  })

  it("withdraws everything when it is closed, and takes nothing more", async () => {
    const session = createLocalSession()
    const heard = vi.fn()
    session.subscribe(heard)
    const client = session.createToolClient("web")
    client.addTool("greet", greet)
    await client.ready
    session.retry()
    expect(heard).not.toHaveBeenCalled()
    await session.close()
    await session.close()
    expect(session.state.status).toBe("closed")
    expect(heard).toHaveBeenCalledTimes(1)
    expect(client.state.status).toBe("left")
    expect(() => session.createToolClient("web")).toThrow('The session "local" is closed')
    expect(() => session.shareToolClient("web")).toThrow("is closed")
  })

  it("tells its handler of a tool that is left out", async () => {
    const onError = vi.fn()
    const session = createLocalSession({ onError })
    const shared = session.shareToolClient("web")
    shared.client.declare({ rank: 1, current: () => ({ ...greet, description: "" }) }, "greet")
    await shared.client.ready
    expect(onError.mock.calls).toMatchObject([[{ code: "no_description", tool: "greet" }]])
  })
})

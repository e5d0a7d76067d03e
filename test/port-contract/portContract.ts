import { describe, expect, it } from "vitest"
import { answerOf, errorAnswer } from "../../src/tool/answer.ts"
import type { ToolAnswer, ToolSpec } from "../../src/tool/toolSpec.ts"
import type { Registered, Registration, ToolClientPort } from "../../src/toolClient/port.ts"

/** A call that has reached the page. */
export interface ReachedCall {
  readonly callId: string
  readonly tool: string
  readonly arguments: unknown
  /** What the agent is answered. */
  readonly answered: Promise<ToolAnswer>
}

/** A port, and what its other side can be made to do. */
export interface PortHarness {
  readonly port: ToolClientPort
  /** The names of the tools that an agent sees of this client. */
  offered(client: Registered): Promise<readonly string[]>
  /** An agent calls a tool; resolves when the call has reached the page. */
  call(client: Registered, tool: string, args: unknown): Promise<ReachedCall>
  /** The other side loses the client, and the port hears nothing of it. */
  forget(client: Registered): Promise<void>
  /** From here on nothing reaches the other side. */
  cut(): Promise<void>
}

const spec = (name: string): ToolSpec => ({ name, description: `Does ${name}.`, parameters: { type: "object", properties: {} } })

const form = (tools: readonly ToolSpec[], more: Partial<Registration> = {}): Registration => ({
  name: "weather-service",
  instanceId: "tab:weather-service:0",
  loadId: "load",
  lifetime: { type: "ttl", data: { seconds: 60 } },
  revision: 0,
  tools,
  ...more,
})

/** What every port must do, whatever carries it: a tool client relies on no more than this. */
export function describePort(carrier: string, start: () => Promise<PortHarness>): void {
  describe(`the port over ${carrier}`, () => {
    const kindOf = async ({ port }: PortHarness, request: Promise<unknown>): Promise<string> =>
      request.then(
        () => "taken",
        (error: unknown) => port.failureOf(error).kind,
      )

    it("registers a client: it has an id and a name, and agents see exactly its tools", async () => {
      const harness = await start()
      const client = await harness.port.register(form([spec("one"), spec("two")]))
      expect(client).toMatchObject({ id: expect.stringMatching(/./), name: "weather-service" })
      expect(await harness.offered(client)).toEqual(["one", "two"])
    })

    it("registers one without tools", async () => {
      const harness = await start()
      const client = await harness.port.register(form([]))
      expect(await harness.offered(client)).toEqual([])
    })

    it("takes the same instance and load for the same client, with the newest tools", async () => {
      const harness = await start()
      const first = await harness.port.register(form([spec("one")]))
      const second = await harness.port.register(form([spec("two")]))
      expect(second).toMatchObject({ id: first.id, name: first.name })
      expect(await harness.offered(second)).toEqual(["two"])
    })

    it("replaces the whole set by an update, again and again", async () => {
      const harness = await start()
      const client = await harness.port.register(form([spec("one")]))
      await harness.port.update(client.id, 1, [spec("two"), spec("three")])
      expect(await harness.offered(client)).toEqual(["two", "three"])
      await harness.port.update(client.id, 2, [])
      expect(await harness.offered(client)).toEqual([])
    })

    it("pings a client that is known", async () => {
      const harness = await start()
      const { id } = await harness.port.register(form([]))
      await harness.port.ping(id)
    })

    it("brings a call with its tool and arguments, and takes its answer", async () => {
      const harness = await start()
      const client = await harness.port.register(form([spec("one")]))
      const call = await harness.call(client, "one", { city: "Rome" })
      expect(call).toMatchObject({ tool: "one", arguments: { city: "Rome" } })
      await harness.port.ack?.(client.id, call.callId)
      await harness.port.answer(client.id, call.callId, answerOf("sunny"))
      expect(await call.answered).toMatchObject({ text: "sunny", is_error: false })
    })

    it("takes an answer that is an error", async () => {
      const harness = await start()
      const client = await harness.port.register(form([spec("one")]))
      const call = await harness.call(client, "one", {})
      await harness.port.answer(client.id, call.callId, errorAnswer("no such city"))
      expect(await call.answered).toMatchObject({ text: "no such city", is_error: true })
    })

    it("keeps calls apart that run at once", async () => {
      const harness = await start()
      const client = await harness.port.register(form([spec("one")]))
      const [first, second] = [await harness.call(client, "one", { n: 1 }), await harness.call(client, "one", { n: 2 })]
      await harness.port.answer(client.id, second.callId, answerOf("second"))
      await harness.port.answer(client.id, first.callId, answerOf("first"))
      expect([(await first.answered).text, (await second.answered).text]).toEqual(["first", "second"])
    })

    it("says `settled` of another answer to a call that has one", async () => {
      const harness = await start()
      const client = await harness.port.register(form([spec("one")]))
      const { callId } = await harness.call(client, "one", {})
      await harness.port.answer(client.id, callId, answerOf("once"))
      expect(await kindOf(harness, harness.port.answer(client.id, callId, answerOf("twice")))).toBe("settled")
    })

    it("removes a client, and does so again without complaint", async () => {
      const harness = await start()
      const client = await harness.port.register(form([spec("one")]))
      await harness.port.remove(client.id)
      await harness.port.remove(client.id)
      expect(await harness.offered(client)).toEqual([])
    })

    it("says `gone` of a client that was removed", async () => {
      const harness = await start()
      const { id } = await harness.port.register(form([spec("one")]))
      await harness.port.remove(id)
      expect(await kindOf(harness, harness.port.update(id, 1, []))).toBe("gone")
      expect(await kindOf(harness, harness.port.ping(id))).toBe("gone")
    })

    it("says `gone` of an update for a client that the other side has lost, which then may register again", async () => {
      const harness = await start()
      const client = await harness.port.register(form([spec("one")]))
      await harness.forget(client)
      expect(await kindOf(harness, harness.port.update(client.id, 1, [spec("two")]))).toBe("gone")
      const again = await harness.port.register(form([spec("two")], { loadId: "load" }))
      expect(await harness.offered(again)).toEqual(["two"])
    })

    it("says `retry` when nothing gets through, whatever is asked", async () => {
      const harness = await start()
      await harness.port.register(form([]))
      await harness.cut()
      expect(await kindOf(harness, harness.port.register(form([], { name: "other", instanceId: "tab:other:0" })))).toBe("retry")
    })

    it("says `refused` of what is no failure of the other side", async () => {
      const { port } = await start()
      expect(port.failureOf(new TypeError("undefined is not a function")).kind).toBe("refused")
    })
  })
}

import fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { aTool, createBench } from "../../test/node/client/support/createBench.ts"
import { network, refusal } from "../../test/node/client/support/createServerModel.ts"
import type { AnyTool } from "../tool/tool.ts"
import type { ToolClient } from "./toolClient.ts"
import { createToolSource } from "./toolSource.ts"

vi.spyOn(console, "warn").mockImplementation(() => {})

const NAMES = ["a", "b", "constructor", "__proto__"] as const

type Step =
  | { readonly do: "add"; readonly name: string; readonly version: number }
  | { readonly do: "remove"; readonly name: string }
  | { readonly do: "mount"; readonly name: string; readonly version: number }
  | { readonly do: "unmount" | "render" | "disable"; readonly pick: number; readonly version: number }
  | { readonly do: "tick" | "wait"; readonly ms: number }
  | { readonly do: "forget" | "lose" | "open" }

const name = fc.constantFrom(...NAMES)
const version = fc.nat({ max: 2 })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("add" as const), name, version }),
  fc.record({ do: fc.constant("remove" as const), name }),
  fc.record({ do: fc.constant("mount" as const), name, version }),
  fc.record({ do: fc.constantFrom("unmount" as const, "render" as const, "disable" as const), pick: fc.nat(), version }),
  fc.record({ do: fc.constantFrom("tick" as const, "wait" as const), ms: fc.nat({ max: 3_000 }) }),
  fc.record({ do: fc.constantFrom("forget" as const, "lose" as const, "open" as const) }),
)

const toolOf = (version: number, more: object = {}): AnyTool => aTool(() => `version ${version}`, { description: `Version ${version}.`, ...more })

/** What should be offered, kept as simply as it can be: for each name the owners in the order they came. */
function createExpectation() {
  interface Owner {
    name: string
    version: number
    isEnabled: boolean
    readonly rank: number
  }
  const owners: Owner[] = []
  return {
    owners,
    set(): Map<string, string> {
      const set = new Map<string, string>()
      for (const owner of [...owners].sort((x, y) => x.rank - y.rank)) if (owner.isEnabled) set.set(owner.name, `Version ${owner.version}.`)
      return set
    },
  }
}

/** Plays the steps on a client, and what they should come to on the expectation. */
function createPlayer(client: ToolClient, bench: ReturnType<typeof createBench>) {
  const expectation = createExpectation()
  let ranks = 0
  const added = new Map<string, (typeof expectation.owners)[number]>()
  const mounted: { owner: (typeof expectation.owners)[number]; withdraw(): void; touch(tool: AnyTool): void }[] = []
  const drop = (owner: (typeof expectation.owners)[number]): void => void expectation.owners.splice(expectation.owners.indexOf(owner), 1)
  return {
    expected: () => expectation.set(),
    async play(one: Step): Promise<void> {
      switch (one.do) {
        case "add": {
          client.addTool(one.name, toolOf(one.version) as never)
          const known = added.get(one.name)
          if (known) {
            known.version = one.version
            break
          }
          const owner = { name: one.name, version: one.version, isEnabled: true, rank: ++ranks }
          added.set(one.name, owner)
          expectation.owners.push(owner)
          break
        }
        case "remove": {
          client.removeTool(one.name)
          const owner = added.get(one.name)
          if (owner) drop(owner)
          added.delete(one.name)
          break
        }
        case "mount": {
          let tool = toolOf(one.version)
          const source = createToolSource(() => tool)
          const owner = { name: one.name, version: one.version, isEnabled: true, rank: ++ranks }
          expectation.owners.push(owner)
          mounted.push({
            owner,
            withdraw: client.declare(source, one.name),
            touch(next) {
              tool = next
              client.touch(owner.name)
            },
          })
          break
        }
        case "unmount":
        case "render":
        case "disable": {
          if (mounted.length === 0) break
          const index = one.pick % mounted.length
          const { owner, withdraw, touch } = mounted[index]!
          if (one.do === "unmount") {
            mounted.splice(index, 1)
            withdraw()
            drop(owner)
          } else {
            owner.isEnabled = one.do === "render"
            owner.version = one.version
            touch(toolOf(one.version, { enabled: owner.isEnabled }))
          }
          break
        }
        case "tick":
          await new Promise((resolve) => setImmediate(resolve))
          break
        case "wait":
          await bench.clock.advance(one.ms)
          break
        case "forget":
          bench.server.forget()
          break
        case "lose":
          bench.lose()
          break
        case "open":
          bench.open()
          break
        default:
          one satisfies never
      }
    },
  }
}

const published = (bench: ReturnType<typeof createBench>): Map<string, string> =>
  new Map([...bench.server.clients.values()].flatMap(({ tools }) => tools).map((tool) => [tool.name, tool.description]))

describe("the set that the server holds", () => {
  it("is in the end exactly the declared one, whatever was added, changed and removed, with whatever delays and failures", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.array(fc.nat({ max: 9 }), { maxLength: 40 }), async (steps, luck) => {
        const bench = createBench({ isOpen: false })
        const client = bench.registry.create("web")
        const player = createPlayer(client, bench)
        let isOver = false
        const fault = (point: "before" | "after") => async ({ type }: { type: string }): Promise<void> => {
          const draw = isOver || type === "delete" ? 9 : (luck.shift() ?? 9)
          if (draw < 3) await new Promise((resolve) => bench.clock.setTimeout(() => resolve(undefined), draw * 700))
          if (draw === 3) throw network()
          if (draw === 4) throw refusal(503)
          if (draw === 5 && point === "before" && type !== "register") throw refusal(404)
        }
        bench.server.before = fault("before")
        bench.server.after = fault("after")
        for (const one of steps) await player.play(one)
        isOver = true
        // Everything passes by: the stream is there, and a ping has found out what was forgotten.
        bench.open()
        await bench.clock.advance(120_000)
        await bench.settle()
        expect(client.state.status).toBe("serving")
        expect(published(bench)).toEqual(player.expected())
        expect([...client.state.tools].sort()).toEqual([...player.expected().keys()].sort())
        expect(bench.server.clients.size).toBe(1)
        await bench.registry.delete(client)
        expect(bench.server.clients.size).toBe(0)
        expect(bench.clock.pending + bench.clock.holds).toBe(0)
      }),
      { numRuns: 250 },
    )
  }, 120_000)

  it("changes by one update a tick at most, by none where nothing that is published changed, and drops no name that stays", async () => {
    const inTick = fc.array(step.filter((one) => !["tick", "wait", "forget", "lose", "open"].includes(one.do)), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(fc.array(inTick, { maxLength: 8 }), async (ticks) => {
        const bench = createBench()
        const client = bench.registry.create("web")
        await bench.settle()
        const player = createPlayer(client, bench)
        for (const steps of ticks) {
          const before = player.expected()
          const requests = bench.server.requests.length
          // Not awaited: all in one tick.
          for (const one of steps) void player.play(one)
          const after = player.expected()
          await bench.settle()
          const isSame = before.size === after.size && [...before].every(([key, value]) => after.get(key) === value)
          expect(bench.server.requests.slice(requests).map(({ type }) => type)).toEqual(isSame ? [] : ["update"])
          expect(published(bench)).toEqual(after)
        }
      }),
      { numRuns: 250 },
    )
  }, 120_000)
})

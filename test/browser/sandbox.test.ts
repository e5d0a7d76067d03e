import { createActionClient, createActionHost, defineAction, ProviderRegistry, Sandbox, Services, type Tool, ToolInterrupt } from "react-tool-client/tools"
import { describe, expect, it } from "vitest"
import { z } from "zod"

const logger = { debug() {}, info() {}, warn() {}, error() {} }

const add = defineAction({
  id: "add",
  name: "Add",
  input: z.object({ a: z.number(), b: z.number() }),
  output: z.object({ sum: z.number() }),
  execute: ({ a, b }) => ({ sum: a + b }),
})
const buy = defineAction({
  id: "buy",
  name: "Buy",
  input: z.object({}),
  output: z.unknown(),
  execute(_input, { resumption }) {
    if (!resumption) throw new ToolInterrupt("Really?")
    return resumption.answer
  },
})
const registry = new ProviderRegistry({ providers: [{ id: "demo", name: "Demo", actions: [add, buy] }], services: new Services() })

const maps: { where: string; create(): Promise<Readonly<Record<string, Tool>>> }[] = [
  { where: "in process", create: () => registry.toTools() },
  {
    where: "behind a host",
    async create() {
      const { fetch } = createActionHost({ registry, logger })
      const client = createActionClient({ baseUrl: "http://host.test", fetch: (url, init) => fetch(new Request(url, init)) })
      return client.toTools(await client.manifest())
    },
  },
]

describe.each(maps)("a sandbox in the browser whose actions run $where", ({ create }) => {
  it("runs a script that calls an action", async () => {
    const sandbox = new Sandbox({ actions: await create() })
    expect(await sandbox.run("await demoAdd({ a: 1, b: 2 })", { logger })).toEqual({ status: "completed", value: { sum: 3 } })
  })

  it("pauses at an interrupt and goes on with the answer", async () => {
    const sandbox = new Sandbox({ actions: await create() })
    const paused = await sandbox.run("`${await demoBuy()}!`", { logger })
    if (paused.status !== "interrupted") throw new Error("it did not pause")
    expect(paused.message).toBe("Really?")
    expect(await paused.resume("yes")).toEqual({ status: "completed", value: "yes!" })
  })

  it("keeps the page out of a script's reach, and stops one that never ends", async () => {
    const sandbox = new Sandbox({ actions: await create(), limits: { cpuMs: 100 } })
    expect(await sandbox.run("typeof window + typeof document + typeof fetch", { logger })).toMatchObject({ value: "undefinedundefinedundefined" })
    await expect(sandbox.run("for (;;) {}", { logger })).rejects.toMatchObject({ code: "limit" })
  })
})

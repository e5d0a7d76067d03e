import { expect, it, vi } from "vitest"
import type { AgentModel, ProviderRegistry, SandboxResult } from "react-tool-client/tools"
import { scriptedModel, toolResults } from "../action/support/scriptedModel.ts"

it("docs/guides/actions.md: the actions have the names it gives, an agent's loop asks on the way, and a script adds prices up", async () => {
  const { registry } = (await import("docs:docs/guides/actions.md/shop.ts")) as { registry: ProviderRegistry }
  expect(Object.keys(await registry.toTools())).toEqual(["shopPrice", "shopBuy"])

  const { serveCustomer } = (await import("docs:docs/guides/actions.md/agent.ts")) as {
    serveCustomer(model: AgentModel, wish: string, ask: (question: string) => Promise<unknown>): Promise<string>
  }
  const model = scriptedModel([{ tool: "shopBuy", input: { article: "tea" } }], "Done.")
  const ask = vi.fn(() => Promise.resolve(true))
  expect(await serveCustomer(model as unknown as AgentModel, "Buy tea.", ask)).toBe("Done.")
  expect(ask).toHaveBeenCalledExactlyOnceWith("Buy tea for €3?")
  expect(toolResults(model)).toMatchObject([{ value: { bought: true } }])

  const { result } = (await import("docs:docs/guides/actions.md/script.ts")) as { result: SandboxResult }
  expect(result).toEqual({ status: "completed", value: 8 })
})

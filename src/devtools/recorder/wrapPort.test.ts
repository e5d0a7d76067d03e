import { expect, it } from "vitest"
import type { ToolClientPort } from "../../toolClient/port.ts"
import { wrapPort } from "./wrapPort.ts"

const REQUESTS: Readonly<Record<string, readonly unknown[]>> = {
  register: [{ name: "web", instanceId: "i", loadId: "l", lifetime: { type: "never" }, tools: [], revision: 1 }],
  update: ["id", 2, []],
  ping: ["id", { suspended: true }, 2],
  ack: ["id", "call"],
  progress: ["id", "call", { done: 1 }],
  answer: ["id", "call", { text: "done", is_error: false }],
  remove: ["id"],
}

it("A request that is watched gets all that it was given", async () => {
  const sent: unknown[] = []
  const port = Object.fromEntries(Object.keys(REQUESTS).map((name) => [name, async (...args: unknown[]) => void sent.push([name, ...args])]))
  const unwrap = wrapPort(port as unknown as ToolClientPort, { around: (_sent, send) => send() })
  for (const [name, args] of Object.entries(REQUESTS)) await port[name]!(...args)
  expect(sent).toEqual(Object.entries(REQUESTS).map(([name, args]) => [name, ...args]))
  unwrap()
})

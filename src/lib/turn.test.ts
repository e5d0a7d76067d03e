import { afterEach, expect, it, vi } from "vitest"
import { turn } from "./turn.ts"

afterEach(() => {
  vi.unstubAllGlobals()
})

it.each([["with channels", MessageChannel], ["without", undefined]])("a turn of the event loop passes on a platform %s", async (_platform, channel) => {
  vi.stubGlobal("MessageChannel", channel)
  const order: string[] = []
  void Promise.resolve().then(() => order.push("microtask"))
  await turn()
  expect(order).toEqual(["microtask"])
})

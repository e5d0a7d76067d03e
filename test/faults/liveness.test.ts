// Rows 1 to 6 of the fault matrix: how a client stays alive, and what it does when it did not.
import { expect, test } from "vitest"
import { refuse } from "./faults.ts"
import { createWorld } from "./world.ts"

test.each([404, 410])("Row 5. A ping is answered %i: registers again once, with the same tools; calls in flight keep answering.", async (status) => {
  const world = await createWorld()
  const page = world.open()
  let finish = (_text: string): void => {}
  const client = await page.serving("web", { add: () => new Promise<string>((resolve) => (finish = resolve)), other: () => "" })
  const call = world.call("client__web__add")
  await world.quiet()
  expect(world.executed).toHaveLength(1)

  world.proxy.next("ping", refuse(status))
  const names = await world.toolNames()
  await world.pass(31_000)
  expect(world.proxy.of("register")).toHaveLength(2)
  expect(client.state).toMatchObject({ status: "serving", name: "web", tools: ["add", "other"] })
  expect(await world.toolNames()).toEqual(names)

  finish("the answer")
  await world.quiet()
  expect(call.settled).toMatchObject({ text: "the answer", is_error: false })
})

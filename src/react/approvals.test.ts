import { expect, it } from "vitest"
import { createFakeClock } from "../testing/fakeClock.ts"
import type { ToolCall } from "../tool/toolCall.ts"
import { createApprovals } from "./approvals.ts"

/** A call of the page's own, whose caller aborts it with whatever it likes. */
const callOf = (signal: AbortSignal): ToolCall => ({
  callId: "c",
  tool: "pay",
  arguments: {},
  signal,
  deadline: Infinity,
  clock: createFakeClock(),
  progress() {},
  askPerson: () => ({ settle() {} }),
})

it.each([null, 0, "no more"])("is refused when its call is aborted with %j, or was before it asked", async (reason) => {
  const approvals = createApprovals()
  approvals.mount()
  const controller = new AbortController()
  const asked = approvals.ask(callOf(controller.signal), { message: "Pay?" })
  expect(approvals.state.length).toBe(1)
  controller.abort(reason)
  expect(await asked).toBe(false)
  expect(await approvals.ask(callOf(controller.signal), { message: "Pay?" })).toBe(false)
  expect(approvals.state).toEqual([])
})

import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { COMMIT_LIMIT_MS, createCommitBeacon } from "./commitBeacon.ts"

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Whether a promise has settled by now. */
async function isOver(promise: Promise<void>): Promise<boolean> {
  let over = false
  void promise.then(() => (over = true))
  for (let count = 0; count < 5; count++) await Promise.resolve()
  return over
}

it("waits until the component's effect has run with the count that it was set to, or a later one", async () => {
  const beacon = createCommitBeacon()
  const bump = vi.fn()
  beacon.light(bump)
  const first = beacon.committed()
  const second = beacon.committed()
  expect(bump.mock.calls).toEqual([[1], [2]])
  beacon.reached(0)
  expect(await isOver(first)).toBe(false)
  beacon.reached(1)
  expect([await isOver(first), await isOver(second)]).toEqual([true, false])
  const third = beacon.committed()
  beacon.reached(3)
  expect([await isOver(second), await isOver(third)]).toEqual([true, true])
  expect(vi.getTimerCount()).toBe(0)
})

it("waits no longer than its limit", async () => {
  const beacon = createCommitBeacon()
  beacon.light(() => {})
  const committed = beacon.committed()
  vi.advanceTimersByTime(COMMIT_LIMIT_MS - 1)
  expect(await isOver(committed)).toBe(false)
  vi.advanceTimersByTime(1)
  expect(await isOver(committed)).toBe(true)
})

it("waits for a component no more that is hidden or unmounts meanwhile", async () => {
  const beacon = createCommitBeacon()
  beacon.light(() => {})
  const committed = beacon.committed()
  beacon.light(null)
  expect(await isOver(committed)).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

it("waits for a few turns of the event loop where no component is mounted", async () => {
  const committed = createCommitBeacon().committed()
  expect(await isOver(committed)).toBe(false)
  await committed
  expect(vi.getTimerCount()).toBe(0)
})

import { expect, test } from "vitest"
import { createDeferred } from "../lib/deferred.ts"
import { createFakeClock } from "../testing/fakeClock.ts"
import type { CallProgress } from "../tool/toolCall.ts"
import { createProgressSender, PROGRESS_INTERVAL_MS } from "./progressSender.ts"

function createBench(send?: () => Promise<void>) {
  const clock = createFakeClock()
  const sent: CallProgress[] = []
  const sender = createProgressSender(clock, async (progress) => {
    sent.push(progress)
    await send?.()
  })
  return { clock, sent, sender }
}

test("The first report goes at once, then the newest of each interval.", async () => {
  const { clock, sent, sender } = createBench()
  for (let done = 0; done <= 10; done++) sender.report({ done })
  expect(sent).toEqual([{ done: 0 }])
  await clock.advance(PROGRESS_INTERVAL_MS)
  expect(sent).toEqual([{ done: 0 }, { done: 10 }])
  await clock.advance(PROGRESS_INTERVAL_MS)
  expect(clock.pending).toBe(0)
  sender.report({ done: 11, total: 12, message: "Nearly." })
  expect(sent.at(-1)).toEqual({ done: 11, total: 12, message: "Nearly." })
})

test("One report is on its way at a time, however slow the way is.", async () => {
  const taken = createDeferred<void>()
  const { clock, sent, sender } = createBench(() => taken.promise)
  sender.report({ done: 1 })
  sender.report({ done: 2 })
  await clock.advance(60_000)
  expect(sent).toHaveLength(1)
  taken.resolve()
  await clock.advance(PROGRESS_INTERVAL_MS)
  expect(sent).toEqual([{ done: 1 }, { done: 2 }])
})

test("Nothing goes out and no timer stays once the call is over.", async () => {
  const taken = createDeferred<void>()
  const { clock, sent, sender } = createBench(() => taken.promise)
  sender.report({ done: 1 })
  sender.report({ done: 2 })
  sender.end()
  taken.resolve()
  await clock.advance(PROGRESS_INTERVAL_MS)
  sender.report({ done: 3 })
  expect([sent.length, clock.pending]).toEqual([1, 0])
})

test("What is no number is left out, and a message is cut where the server would refuse it.", () => {
  const { sent, sender } = createBench()
  sender.report({ done: Number.NaN })
  sender.report({ done: 1, total: Infinity, message: "x".repeat(2_000) })
  expect(sent).toEqual([{ done: 1, message: "x".repeat(1_000) }])
})

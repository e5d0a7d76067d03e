import { describe, expect, it } from "vitest"
import { createFakeClock } from "../testing/fakeClock.ts"
import { createWaiter } from "./waiter.ts"

function setUp() {
  const clock = createFakeClock()
  const waiter = createWaiter(clock)
  let ended = 0
  const wait = (ms: number, signal?: AbortSignal): void => void waiter.wait(ms, signal).then(() => ended++)
  return { clock, waiter, wait, ended: () => ended }
}

describe("a wait", () => {
  it("ends when its time is over, and not before", async () => {
    const { clock, wait, ended } = setUp()
    wait(1_000)
    await clock.advance(999)
    expect(ended()).toBe(0)
    await clock.advance(1)
    expect(ended()).toBe(1)
  })

  it("ends at the next wake, and leaves no timer behind", async () => {
    const { clock, waiter, wait, ended } = setUp()
    wait(1_000)
    wait(5_000)
    waiter.wake()
    await clock.advance(0)
    expect(ended()).toBe(2)
    expect(clock.pending).toBe(0)
  })

  it("that begins after a wake is not ended by it", async () => {
    const { clock, waiter, wait, ended } = setUp()
    waiter.wake()
    wait(1_000)
    await clock.advance(0)
    expect(ended()).toBe(0)
  })

  it("ends when its signal aborts, and takes timer and listener away", async () => {
    const { clock, waiter, wait, ended } = setUp()
    const controller = new AbortController()
    wait(1_000, controller.signal)
    controller.abort()
    await clock.advance(0)
    expect(ended()).toBe(1)
    expect(clock.pending).toBe(0)
    waiter.wake()
  })

  it("ends at once for a signal that has aborted", async () => {
    const { clock, wait, ended } = setUp()
    wait(1_000, AbortSignal.abort())
    await clock.advance(0)
    expect(ended()).toBe(1)
    expect(clock.pending).toBe(0)
  })

  it("leaves no listener on a signal that outlives it", async () => {
    const { clock, wait } = setUp()
    const { signal, listeners } = countedSignal()
    for (let count = 0; count < 100; count++) {
      wait(10, signal)
      await clock.advance(10)
    }
    expect(listeners()).toBe(0)
  })

  it("may be begun while a wake ends others, and is not ended by that", async () => {
    const { clock, waiter, ended } = setUp()
    let again = 0
    void waiter.wait(1_000).then(() => waiter.wait(1_000)).then(() => again++)
    waiter.wake()
    await clock.advance(0)
    expect(ended() + again).toBe(0)
    await clock.advance(1_000)
    expect(again).toBe(1)
  })
})

/** A signal that knows how many listen to it. */
function countedSignal(): { signal: AbortSignal; listeners(): number } {
  const { signal } = new AbortController()
  let count = 0
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    count++
    add(...args)
  }
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    count--
    remove(...args)
  }
  return { signal, listeners: () => count }
}

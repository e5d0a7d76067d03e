import { describe, expect, it } from "vitest"
import { createFakeClock } from "../../testing/fakeClock.ts"
import type { SandboxThread, ThreadListener } from "./sandboxThread.ts"
import { createSandboxThreads, IDLE_THREAD_MS, MAX_IDLE_THREADS } from "./sandboxThreads.ts"

interface FakeThread extends SandboxThread {
  listener: ThreadListener | undefined
}

function createFakeThread(): FakeThread {
  const thread = {
    isEnded: false,
    listener: undefined as ThreadListener | undefined,
    post() {},
    listen: (listener: ThreadListener) => void (thread.listener = listener),
    hold() {},
    letGo() {},
    terminate: () => void (thread.isEnded = true),
  }
  return thread
}

function setUp(clock = createFakeClock()) {
  const opened: FakeThread[] = []
  const threads = createSandboxThreads(() => {
    const thread = createFakeThread()
    opened.push(thread)
    return Promise.resolve(thread)
  }, clock)
  return { threads, opened, clock }
}

describe("the threads of a sandbox", () => {
  it("are used again, but never by two scripts at once, nor by another sandbox", async () => {
    const { threads, opened, clock } = setUp()
    const first = await threads.take()
    expect(await threads.take()).not.toBe(first)
    threads.give(first)
    const other = setUp(clock)
    expect(await other.threads.take()).not.toBe(first)
    expect(await threads.take()).toBe(first)
    expect(opened).toHaveLength(2)
    expect(clock.pending).toBe(0)
  })

  it("end when nobody needs them for a while", async () => {
    const { threads, clock } = setUp()
    const thread = await threads.take()
    threads.give(thread)
    await clock.advance(IDLE_THREAD_MS - 1)
    expect(thread.isEnded).toBe(false)
    await clock.advance(1)
    expect(thread.isEnded).toBe(true)
    expect(await threads.take()).not.toBe(thread)
  })

  it("that have ended are not used again, whether before they were given back or after", async () => {
    const { threads, opened, clock } = setUp()
    const first = await threads.take()
    first.terminate()
    threads.give(first)
    const second = await threads.take()
    threads.give(second)
    opened[1]?.listener?.onEnd("it crashed")
    expect(await threads.take()).not.toBe(second)
    expect(clock.pending).toBe(0)
  })

  it("wait in a small number, over all sandboxes: the longest that waits goes", async () => {
    const clock = createFakeClock()
    const all = Array.from({ length: MAX_IDLE_THREADS + 1 }, () => setUp(clock))
    for (const { threads } of all) threads.give(await threads.take())
    expect(all.map(({ opened: [thread] }) => thread?.isEnded)).toEqual([true, ...Array<boolean>(MAX_IDLE_THREADS).fill(false)])
    await clock.advance(IDLE_THREAD_MS)
    expect(all.every(({ opened: [thread] }) => thread?.isEnded)).toBe(true)
  })
})

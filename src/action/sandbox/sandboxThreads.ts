import { type Clock, systemClock, type TimerHandle } from "../../lib/clock.ts"
import { NO_LISTENER, type SandboxThread } from "./sandboxThread.ts"

/** How long a thread without a script is kept for the next one of its sandbox, in milliseconds. */
export const IDLE_THREAD_MS = 30_000

/** How many such threads there are at most, of all sandboxes of a page or a process: some make a sandbox for each request. */
export const MAX_IDLE_THREADS = 4

interface IdleThread {
  readonly thread: SandboxThread
  /** Whoever may use it again: no sandbox gets a thread in which another's scripts ran. */
  readonly owner: SandboxThreads
  readonly timer: TimerHandle
}

/** Those of all sandboxes, the one that has waited longest first: threads are the machine's, and so is their number. */
const idle = new Set<IdleThread>()

function remove(entry: IdleThread, clock: Clock): SandboxThread {
  idle.delete(entry)
  clock.clearTimeout(entry.timer)
  return entry.thread
}

/** The threads of one sandbox: one for each script that runs or waits, and those that wait for the next. */
export interface SandboxThreads {
  /** One that no script runs in. */
  take(): Promise<SandboxThread>
  /** Gives one back that is free; one that has ended is forgotten. */
  give(thread: SandboxThread): void
}

/** @param clock - The machine's own, as it is threads of the machine that are kept. */
export function createSandboxThreads(open: () => Promise<SandboxThread>, clock: Clock = systemClock): SandboxThreads {
  const threads: SandboxThreads = {
    async take() {
      for (const entry of idle) if (entry.owner === threads) return remove(entry, clock)
      return open()
    },
    give(thread) {
      if (thread.isEnded) return
      const end = (): void => remove(entry, clock).terminate()
      const entry: IdleThread = { thread, owner: threads, timer: clock.setTimeout(end, IDLE_THREAD_MS) }
      thread.listen({ ...NO_LISTENER, onEnd: () => void remove(entry, clock) })
      idle.add(entry)
      const [oldest] = idle
      if (oldest && idle.size > MAX_IDLE_THREADS) remove(oldest, clock).terminate()
    },
  }
  return threads
}

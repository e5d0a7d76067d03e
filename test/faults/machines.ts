import { MAX_DELAY_MS, type Clock } from "../../src/lib/clock.ts"

/**
 * One machine's clock as the world turns: its timers run on the time that has truly passed while it was awake, as an operating
 * system's do, and its wall clock (`now`) can be set anew without moving a timer.
 */
export interface Machine extends Clock {
  /** Sets the wall clock on or back; timers stay where they are. */
  setWallClock(byMs: number): void
  /** Stops its timers: a laptop's sleep. They go on where they stopped; the wall clock has gone on meanwhile. */
  sleep(): void
  wake(): void
  /** Timers fire only at multiples of this, as those of a page that has been hidden for long. */
  coarseness: number
  /** Timers that wait. */
  readonly pending: number
  /** What keeps the process. */
  readonly holds: number
  /** How many timers have fired. */
  readonly fired: number
}

/** Time for several machines: it passes only when told to. */
export interface WorldTime {
  readonly now: number
  machine(random?: () => number): Machine
  /** Lets `ms` pass: fires what falls due in order, and awaits `settle` after each. */
  pass(ms: number, settle: () => Promise<void>): Promise<void>
}

interface Timer {
  at: number
  readonly order: number
  readonly callback: () => void
}

interface OwnMachine extends Machine {
  readonly timers: Map<number, Timer>
  readonly isAsleep: boolean
  fire(handle: number): void
}

const EPOCH = 1_700_000_000_000

export function createWorldTime(): WorldTime {
  let now = EPOCH
  let order = 0
  const machines: OwnMachine[] = []

  function createMachine(random: () => number): OwnMachine {
    const timers = new Map<number, Timer>()
    let offset = 0
    let sleptAt: number | undefined
    let holds = 0
    let fired = 0
    const self: OwnMachine = {
      coarseness: 1,
      timers,
      now: () => now + offset,
      random,
      setTimeout(callback, ms) {
        const due = now + Math.min(Math.max(ms, 0), MAX_DELAY_MS)
        const handle = ++order
        timers.set(handle, { at: Math.ceil(due / self.coarseness) * self.coarseness, order, callback })
        return handle
      },
      clearTimeout: (handle) => void timers.delete(handle as number),
      hold() {
        holds++
        let isHeld = true
        return () => {
          if (isHeld) holds--
          isHeld = false
        }
      },
      setWallClock: (byMs) => (offset += byMs),
      sleep: () => (sleptAt ??= now),
      wake() {
        if (sleptAt === undefined) return
        for (const timer of timers.values()) timer.at += now - sleptAt
        sleptAt = undefined
      },
      fire(handle) {
        const timer = timers.get(handle)
        timers.delete(handle)
        fired++
        timer?.callback()
      },
      get isAsleep() {
        return sleptAt !== undefined
      },
      get pending() {
        return timers.size
      },
      get holds() {
        return holds
      },
      get fired() {
        return fired
      },
    }
    machines.push(self)
    return self
  }

  const nextDue = (until: number) =>
    machines
      .filter((machine) => !machine.isAsleep)
      .flatMap((machine) => [...machine.timers].map(([handle, timer]) => ({ machine, handle, timer })))
      .filter(({ timer }) => timer.at <= until)
      .sort((a, b) => a.timer.at - b.timer.at || a.timer.order - b.timer.order)[0]

  return {
    get now() {
      return now
    },
    machine: (random = () => 0.5) => createMachine(random),
    async pass(ms, settle) {
      const until = now + ms
      await settle()
      for (let due = nextDue(until); due; due = nextDue(until)) {
        now = Math.max(now, due.timer.at)
        // An event loop fires all that is due before it looks at its sockets again.
        for (let same: typeof due | undefined = due; same; same = nextDue(now)) {
          same.machine.fire(same.handle)
          await Promise.resolve()
        }
        await settle()
      }
      now = until
    },
  }
}

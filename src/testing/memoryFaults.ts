import type { Clock } from "../lib/clock.ts"
import { SessionError } from "../wire/sessionError.ts"
import type { TestRequest } from "./testRequest.ts"

/** How a request fails: an error as it is, a status, or no answer at all. */
export type TestFailure = SessionError | number | "network"

/** What goes wrong on the way to the server in memory, in the order in which a request meets it. */
export interface MemoryFaults {
  /** The next `times` requests of this type fail. */
  failNext(type: TestRequest["type"], failure: TestFailure, times?: number): void
  /** The next `times` requests fail, whatever their type. */
  refuseNext(times: number, failure: TestFailure): void
  /** The next request of this type is done, and its response lost. */
  loseNext(type: TestRequest["type"]): void
  /** Nothing gets through until it is called with `false`. */
  setOffline(isOffline: boolean): void
  /** Each request takes so many milliseconds of the clock. */
  slow(ms: number): void
  /** Holds all requests until the returned function is called. */
  hold(): () => void
  /** Resolves when the request is through. @throws SessionError when it does not get through */
  pass(type: TestRequest["type"]): Promise<void>
  /** @throws SessionError when the response is lost */
  respond(type: TestRequest["type"]): void
  /** Takes the error for one of the test's making. */
  mark<Failure extends Error>(error: Failure): Failure
  /** Whether the error is of the test's making: nobody needs to be told of it. */
  isOwn(error: unknown): boolean
}

export function errorOf(failure: TestFailure): SessionError {
  if (failure instanceof SessionError) return failure
  if (failure === "network") return new SessionError("network", "The network is down (a fault of the test).")
  const code = failure === 409 ? "settled" : failure === 404 || failure === 410 ? "tool_client_not_found" : failure === 429 || failure >= 500 ? "unavailable" : "refused"
  return new SessionError(code, `Answered ${failure} (a fault of the test).`, { status: failure })
}

export function createMemoryFaults(clock: Clock): MemoryFaults {
  /** `undefined` stands for every type. */
  const failures: { readonly type: TestRequest["type"] | undefined; readonly error: SessionError }[] = []
  const lost: TestRequest["type"][] = []
  let held: Promise<void> | undefined
  let isOffline = false
  let delayMs = 0
  const own = new WeakSet<object>()
  const mark = <Failure extends Error>(error: Failure): Failure => {
    own.add(error)
    return error
  }

  const fail = (type: TestRequest["type"] | undefined, failure: TestFailure, times: number): void => {
    for (let count = 0; count < times; count++) failures.push({ type, error: mark(errorOf(failure)) })
  }

  return {
    mark,
    isOwn: (error) => typeof error === "object" && error !== null && own.has(error),
    failNext: (type, failure, times = 1) => fail(type, failure, times),
    refuseNext: (times, failure) => fail(undefined, failure, times),
    loseNext: (type) => void lost.push(type),
    setOffline: (value) => void (isOffline = value),
    slow: (ms) => void (delayMs = ms),
    hold() {
      let release = (): void => {}
      held = new Promise((resolve) => {
        release = resolve
      })
      return () => {
        held = undefined
        release()
      }
    },
    async pass(type) {
      // As over a network: nothing is answered within the tick that asked.
      await Promise.resolve()
      await held
      if (delayMs > 0) await new Promise<void>((resolve) => clock.setTimeout(resolve, delayMs))
      if (isOffline) throw mark(errorOf("network"))
      const index = failures.findIndex((failure) => failure.type === undefined || failure.type === type)
      const [failure] = index < 0 ? [] : failures.splice(index, 1)
      if (failure) throw failure.error
    },
    respond(type) {
      const index = lost.indexOf(type)
      if (index < 0) return
      lost.splice(index, 1)
      throw mark(new SessionError("network", "The response was lost (a fault of the test)."))
    },
  }
}

import { backOffDelay } from "../lib/backOff.ts"
import type { ErrorHandler } from "../lib/callSafely.ts"
import type { Clock } from "../lib/clock.ts"
import { randomId } from "../lib/randomId.ts"
import type { Waiter } from "../lib/waiter.ts"
import { type Declaration, type Offers, sameOffer } from "./declaration.ts"
import type { PortFailure, Registration as RegistrationForm, ToolClientPort } from "./port.ts"
import { createTakenOffers } from "./takenOffers.ts"

export interface RegistrationOptions {
  readonly port: ToolClientPort
  readonly clock: Clock
  readonly waiter: Waiter
  readonly declaration: Declaration
  readonly form: Omit<RegistrationForm, "tools" | "revision">
  /** Whether a registration may go out now: the stream is open, and an earlier client of the same name is gone. */
  mayRegister(): boolean
  /** Whether calls run whose answers are still wanted. */
  isBusy(): boolean
  /** Resolves when the calls that have come are acked, or soon. */
  acked(): Promise<void> | undefined
  onRegistered(id: string, name: string, tools: readonly string[]): void
  onUpdated(tools: readonly string[]): void
  onLost(): void
  onRefused(error: unknown): void
  /** The tool client is gone at the other side, by `leave`. */
  onLeft(): void
  onError: ErrorHandler
}

/** A registration that held this long was a good one; one that is lost sooner is not repeated at once. */
export const HELD_AFTER_MS = 5_000

/** Keeps the other side at what is declared here: one request at a time, the newest set wins. */
export interface Registration {
  /** The id at the other side while it is known there. */
  readonly id: string | undefined
  readonly isRegistering: boolean
  /** Sends nothing any more, until `resume`. */
  readonly isHalted: boolean
  /** Whether `id` is the one, and nobody has asked for its end. */
  isHeld(id: string): boolean
  /** Whether somebody wants it to stay. */
  readonly isWanted: boolean
  /** Of the last set that was sent. */
  readonly revision: number
  /** Whether a DELETE that was asked for is under way. */
  readonly isLeaving: boolean
  /** Something changed; all that changes in one tick becomes one request. */
  schedule(): void
  /** Resolves when nothing is left to send, or nothing can be; `undefined` where that is so already. */
  settled(): Promise<void> | undefined
  /** The other side does not know `id` any more. Late news of an older id changes nothing. */
  lost(id: string | undefined): void
  /** The other side may have forgotten the set: sends it again. */
  publishAgain(): void
  /** Withdraws the tools at once, and the client when its calls have answered; `stay` takes it back. */
  leaveWhenIdle(): void
  stay(): void
  /** Deletes now. Calls while one is under way share it. @throws what the port throws, which is reported too; it may be asked again. */
  leave(): Promise<void>
  /** Sends nothing any more. */
  halt(): void
  /** Begins anew after `halt`. */
  resume(): void
}

/**
 * What is known of the other side; `unknown` after a request whose answer was lost. One that was said to be gone may be there all the same,
 * under its `lostId`: a proxy can say so falsely, and the page itself says so of what it lets go.
 */
type Actual =
  | { readonly status: "absent"; readonly lostId?: string }
  | { readonly status: "unknown" }
  | { readonly status: "present"; readonly id: string; published: Offers | undefined }

const same = (one: Offers | undefined, other: Offers): boolean =>
  one === other ||
  (one !== undefined && one.size === other.size && [...other].every(([name, offer]) => sameOffer(one.get(name), offer)))

const NOTHING: Offers = new Map()

export function createRegistration(options: RegistrationOptions): Registration {
  const { port, clock, waiter, declaration, form, onError } = options
  const { lifetime } = form
  /** Another once its DELETE was sent: the other side takes no registration of a load that was deleted. */
  let { loadId } = form
  let actual: Actual = { status: "absent" }
  /** Of the last set that was sent, by whichever request. */
  let revision = 0
  /** Its DELETE was sent. */
  let unwantedId: string | undefined
  let isWanted = true
  let isHalted = false
  /** Whether it was wanted when the step that is under way began. */
  let stepIsWanted = true
  let isRegistering = false
  let refused: Offers | undefined
  let attempts = 0
  let registeredAt = -Infinity
  /** Registrations in a row that were lost as soon as they were made: several servers that do not know of each other. */
  let losses = 0
  let work: Promise<void> | undefined
  let leaving: Promise<void> | undefined
  let interrupt = new AbortController()
  /** Runs while it is not wanted and has no call. */
  let overdue: unknown
  const taken = createTakenOffers(form.name, port, declaration.tell)

  /** Not wanted any more, it still owes answers, which only a registered client can give. */
  const wanted = (): Offers | undefined => (isWanted ? taken.of(declaration.offers()) : options.isBusy() ? NOTHING : undefined)
  const specs = (offers: Offers) => [...offers.values()].map((offer) => offer.spec)
  const setAbsent = (lostId?: string): void => {
    actual = { status: "absent", ...(lostId !== undefined && { lostId }) }
    refused = undefined
  }
  /** What a DELETE must name, so that nothing stays: what is there, or may be. */
  const idThere = (): string | undefined => (actual.status === "present" ? actual.id : actual.status === "absent" ? actual.lostId : undefined)

  /** Waits out a failure that passes, or until the wait makes no more sense. */
  const pause = (retryAfterMs: number | undefined): Promise<void> =>
    waiter.wait(backOffDelay(clock, attempts++, retryAfterMs), interrupt.signal)

  async function register(): Promise<void> {
    if (losses > 1) {
      await waiter.wait(backOffDelay(clock, losses), interrupt.signal)
      // Something else may be wanted by now.
      if (isHalted || !options.mayRegister() || !(isWanted || options.isBusy() || actual.status === "unknown")) return
    }
    const offers = wanted() ?? NOTHING
    const life = interrupt
    isRegistering = true
    try {
      const { id, name } = await port.register({ ...form, loadId, tools: specs(offers), revision: ++revision })
      actual = { status: "present", id, published: offers }
      refused = undefined
      attempts = 0
      registeredAt = clock.now()
      if (isHalted) return
      declaration.rename(name)
      options.onRegistered(id, name, [...offers.keys()])
    } catch (error) {
      const failure = port.failureOf(error)
      // Also when nobody wants it any more: what may be there must be deleted.
      if (failure.kind === "retry") actual = { status: "unknown" }
      if (isHalted || interrupt !== life) return
      if (taken.learn(error, offers)) return
      if (failure.kind === "gone") loadId = randomId()
      else if (failure.kind !== "retry") {
        // Until the set is another one: a set that is too large may shrink. What an earlier try has left there stays to be deleted, unless that is refused, too.
        if (!isWanted) setAbsent()
        refused = offers
        options.onRefused(error)
        return
      }
      onError(error)
      await pause(failure.retryAfterMs)
    } finally {
      isRegistering = false
    }
  }

  async function update(present: Actual & { status: "present" }, offers: Offers): Promise<void> {
    const { published } = present
    // Until the answer comes, the other side may hold either set.
    present.published = undefined
    try {
      await port.update(present.id, ++revision, specs(offers))
      present.published = offers
      refused = undefined
      attempts = 0
      if (actual === present && !isHalted) options.onUpdated([...offers.keys()])
    } catch (error) {
      const failure = port.failureOf(error)
      if (isHalted || actual !== present) return
      if (failure.kind === "gone") return api.lost(present.id)
      if (taken.learn(error, offers)) return void (present.published = published)
      onError(error)
      if (failure.kind === "retry") return pause(failure.retryAfterMs)
      present.published = published
      refused = offers
    }
  }

  /** Gone already is what was asked for; but our server has no such answer, so that whoever gives it is asked once more. */
  async function removeNow(id: string): Promise<void> {
    unwantedId = id
    loadId = randomId()
    for (let asked = 0; asked < 2; asked++) {
      try {
        return await port.remove(id)
      } catch (error) {
        if (port.failureOf(error).kind !== "gone") throw error
      }
    }
  }

  /** A leave that a person's code did not ask for: tried again until it is taken. Refused, the ttl does it. */
  async function removeUnasked(id: string): Promise<void> {
    const life = interrupt
    let failure: PortFailure | undefined
    try {
      await removeNow(id)
      setAbsent()
      attempts = 0
    } catch (error) {
      // Whether it is there is not known any more.
      setAbsent(id)
      if (isHalted) return
      onError(error)
      if (interrupt === life) failure = port.failureOf(error)
    }
    // What registers now is another load, and takes its place if it is there.
    if (isWanted) return isHalted ? undefined : options.onLost()
    if (failure?.kind === "retry") return pause(failure.retryAfterMs)
    if (failure) end()
  }

  function clearOverdue(): void {
    clock.clearTimeout(overdue)
    overdue = undefined
  }

  function halt(): void {
    isHalted = true
    interrupt.abort()
    clearOverdue()
  }

  /** Deleted, or what could not be ends by itself. */
  function end(): void {
    halt()
    options.onLeft()
  }

  function nextStep(): (() => Promise<void>) | undefined {
    if (isHalted) return undefined
    const present = actual.status === "present" ? actual : undefined
    const offers = wanted()
    if (offers && same(refused, offers)) return undefined
    if (present && offers) return same(present.published, offers) ? undefined : () => update(present, offers)
    // By then the other side has dropped it: where nothing answers any more, nothing is asked for ever.
    if (!offers && lifetime.type === "ttl") overdue ??= clock.setTimeout(end, lifetime.data.seconds * 1000)
    const thereId = idThere()
    if (!offers && thereId !== undefined) return () => removeUnasked(thereId)
    // A registration whose answer was lost is asked for its id once more, so that it can be deleted.
    if (offers || actual.status === "unknown") return options.mayRegister() ? register : undefined
    end()
    return undefined
  }

  async function run(): Promise<void> {
    // All that is declared in this tick goes out as one set.
    await Promise.resolve()
    for (let step = nextStep(); step; step = nextStep()) {
      stepIsWanted = isWanted
      await step()
    }
    work = undefined
  }

  async function remove(): Promise<void> {
    isWanted = false
    halt()
    await work
    await options.acked()
    if (actual.status === "unknown") {
      const { id } = await port.register({ ...form, loadId, tools: [], revision: ++revision })
      actual = { status: "present", id, published: NOTHING }
    }
    const thereId = idThere()
    if (thereId !== undefined) await removeNow(thereId)
    setAbsent()
    end()
  }

  const api: Registration = {
    get id() {
      return actual.status === "present" ? actual.id : undefined
    },
    get isRegistering() {
      return isRegistering
    },
    get isHalted() {
      return isHalted
    },
    get revision() {
      return revision
    },
    get isWanted() {
      return isWanted
    },
    get isLeaving() {
      return leaving !== undefined
    },
    isHeld: (id) => api.id === id && unwantedId !== id,
    schedule() {
      if (!isHalted) work ??= run()
    },
    settled: () => work,
    lost(id) {
      if (actual.status !== "present" || actual.id !== id) return
      taken.forget()
      losses = Math.abs(clock.now() - registeredAt) < HELD_AFTER_MS ? losses + 1 : 0
      setAbsent(id)
      if (isWanted && !isHalted) options.onLost()
      api.schedule()
    },
    publishAgain() {
      if (actual.status === "present") actual.published = undefined
      api.schedule()
    },
    leaveWhenIdle() {
      isWanted = false
      api.schedule()
    },
    stay() {
      // Nobody had left: it was just made.
      if (isWanted) return
      isWanted = true
      clearOverdue()
      // What it waits for is no more what is wanted. Released and shared again within a tick, it waits on: that is no reason to hurry.
      if (!stepIsWanted) {
        interrupt.abort()
        interrupt = new AbortController()
      }
      if (actual.status !== "present" || actual.id === unwantedId) options.onLost()
      api.schedule()
    },
    leave() {
      leaving ??= remove()
        .catch((error: unknown) => {
          onError(error)
          throw error
        })
        .finally(() => {
          leaving = undefined
        })
      return leaving
    },
    halt,
    resume() {
      isHalted = false
      interrupt = new AbortController()
      if (actual.status !== "unknown") setAbsent(idThere())
      refused = undefined
      taken.forget()
      api.schedule()
    },
  }
  return api
}

import { SumTree, type Summing } from "../lib/sumTree.ts"
import { callDueAt, type CallRecord, isPending, type PendingCall, type SettledCall } from "./callRecord.ts"

/** What is known of all calls together. */
export interface CallSums {
  readonly pending: number
  /** Characters of JSON of the pending calls' arguments. */
  readonly size: number
  readonly settled: number
  /** Characters of the settled calls' answers. */
  readonly text: number
  /** When the first of the pending ones is due, in milliseconds since the epoch; `Infinity` for none. */
  readonly dueAt: number
}

const SUMS: Summing<CallRecord, CallSums> = {
  none: { pending: 0, size: 0, settled: 0, text: 0, dueAt: Infinity },
  of: (call) =>
    isPending(call)
      ? { pending: 1, size: call.size, settled: 0, text: 0, dueAt: callDueAt(call) }
      : { pending: 0, size: 0, settled: 1, text: call.answer.text.length, dueAt: Infinity },
  plus: (one, other) => ({
    pending: one.pending + other.pending,
    size: one.size + other.size,
    settled: one.settled + other.settled,
    text: one.text + other.text,
    dueAt: Math.min(one.dueAt, other.dueAt),
  }),
}

const NO_SUM: Summing<number, undefined> = { none: undefined, of: () => undefined, plus: () => undefined }

const hasPending = ({ pending }: CallSums): boolean => pending > 0
const hasSettled = ({ settled }: CallSums): boolean => settled > 0

/**
 * A session's calls in their order: pending ones as they were made, settled ones as they were settled. It never changes; a change gives another,
 * in a time that hardly grows with the number of calls, and shares the rest.
 */
export class CallTable implements Iterable<CallRecord> {
  private readonly calls: SumTree<number, CallRecord, CallSums>
  /** By id. */
  private readonly places: SumTree<string, number, undefined>
  /** By what the agent sent as `Idempotency-Key`. */
  private readonly keys: SumTree<string, number, undefined>

  private constructor(calls: CallTable["calls"], places: CallTable["places"], keys: CallTable["keys"]) {
    this.calls = calls
    this.places = places
    this.keys = keys
  }

  static of(calls: Iterable<CallRecord>): CallTable {
    let table = new CallTable(new SumTree<number, CallRecord, CallSums>(SUMS), new SumTree<string, number, undefined>(NO_SUM), new SumTree<string, number, undefined>(NO_SUM))
    for (const call of calls) table = table.withLast(call)
    return table
  }

  get sums(): CallSums {
    return this.calls.sum
  }

  get length(): number {
    return this.sums.pending + this.sums.settled
  }

  get(id: string): CallRecord | undefined {
    const place = this.places.get(id)
    return place === undefined ? undefined : this.calls.get(place)
  }

  /** The one that an `Idempotency-Key` has made. */
  ofKey(idempotencyKey: string): CallRecord | undefined {
    const place = this.keys.get(idempotencyKey)
    return place === undefined ? undefined : this.calls.get(place)
  }

  /** In the place of the one of the same id, or at the end. */
  with(call: CallRecord): CallTable {
    const place = this.places.get(call.id)
    return place === undefined ? this.withLast(call) : new CallTable(this.calls.with(place, call), this.places, this.keys)
  }

  /** At the end, wherever the one of the same id was. */
  withLast(call: CallRecord): CallTable {
    return this.withAt(call, (this.calls.lastKey ?? 0) + 1)
  }

  /** At a place where no other is. */
  withAt(call: CallRecord, place: number): CallTable {
    const { calls, places, keys } = this.without(call.id)
    const { id, idempotency } = call
    return new CallTable(calls.with(place, call), places.with(id, place), idempotency ? keys.with(idempotency.key, place) : keys)
  }

  without(id: string): CallTable {
    const place = this.places.get(id)
    if (place === undefined) return this
    const key = this.calls.get(place)?.idempotency?.key
    return new CallTable(this.calls.without(place), this.places.without(id), key === undefined ? this.keys : this.keys.without(key))
  }

  /** In their order. */
  *pending(): Generator<PendingCall> {
    for (const [, call] of this.calls.entries(hasPending)) if (isPending(call)) yield call
  }

  /** The one that was settled first. */
  oldestSettled(): SettledCall | undefined {
    for (const [, call] of this.calls.entries(hasSettled)) if (!isPending(call)) return call
    return undefined
  }

  entries(): Generator<readonly [place: number, call: CallRecord]> {
    return this.calls.entries()
  }

  /** Those that are not in the other one as they are here, nor at the same place. */
  *changesFrom(other: CallTable): Generator<readonly [place: number, call: CallRecord]> {
    for (const entry of this.calls.entriesBeside(other.calls)) {
      const [place, call] = entry
      if (other.calls.get(place) !== call) yield entry
    }
  }

  *[Symbol.iterator](): Generator<CallRecord> {
    for (const [, call] of this.calls.entries()) yield call
  }
}

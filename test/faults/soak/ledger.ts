import { createHash } from "node:crypto"

/** What happened to every call, and what must not have. */
export interface Ledger {
  readonly violations: readonly string[]
  readonly counts: Readonly<Record<string, number>>
  violated(what: string): void
  count(what: string): void
  /** `execute` began, in this load of a page; `life` is the server's, which ends with its memory. */
  ran(page: string, callId: string, life: number): void
  /** The server said in this life of its that a call is settled. */
  settled(callId: string, life: number): void
  /** The agent was told of the outcome, perhaps once more. */
  told(callId: string, outcome: string): void
}

/** More of them say nothing new. */
const TOLD_AT_MOST = 20

/** Calls that are watched; one that is older does not come again. */
const WATCHED = 50_000

const digestOf = (text: string): string => createHash("sha1").update(text).digest("base64")

/** Forgets the oldest, so that a run of hours takes no more memory than one of minutes. */
function remember<Value>(entries: Map<string, Value>, key: string, value: Value): void {
  entries.set(key, value)
  for (const oldest of entries.keys()) {
    if (entries.size <= WATCHED) break
    entries.delete(oldest)
  }
}

export function createLedger(): Ledger {
  const violations: string[] = []
  const counts: Record<string, number> = {}
  /** In which page, by call and load, and by call and life. */
  const runs = new Map<string, string>()
  const settled = new Map<string, true>()
  const outcomes = new Map<string, string>()
  const count = (what: string): void => {
    counts[what] = (counts[what] ?? 0) + 1
  }
  const violated = (what: string): void => {
    if (violations.push(what) <= TOLD_AT_MOST) console.error(`VIOLATION: ${what}`)
  }
  return {
    violations,
    counts,
    violated,
    count,
    ran(page, callId, life) {
      count("executed")
      // A server that has lost its memory may be asked for a call again whose page has gone: nobody is left who knows of it.
      for (const run of [`${page} ${callId}`, `${life} ${callId}`]) {
        const before = runs.get(run)
        if (before !== undefined) violated(`The call ${callId} ran twice, in the page ${before} and in the page ${page}.`)
        remember(runs, run, page)
      }
    },
    settled(callId, life) {
      count("settled")
      const settlement = `${life} ${callId}`
      if (settled.has(settlement)) violated(`The call ${callId} was settled twice.`)
      remember(settled, settlement, true)
    },
    told(callId, outcome) {
      const before = outcomes.get(callId)
      const digest = digestOf(outcome)
      if (before !== undefined && before !== digest) violated(`The call ${callId} has another outcome now: ${outcome.slice(0, 500)}`)
      remember(outcomes, callId, digest)
    },
  }
}

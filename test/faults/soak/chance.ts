/** Which fault a request meets, by chance. Only those that pass: after them all must be well again. */
import { answerHtml, cutUpload, delay, drop, duplicate, type Fault, halfOpen, loseAnswer, refuse, shape, swallowAnswer } from "../faults.ts"
import type { RequestKind, Seen } from "../proxy.ts"
import type { SeededRandom } from "../random.ts"

export interface ChanceOptions {
  readonly random: SeededRandom
  readonly clock: { setTimeout(callback: () => void, ms: number): unknown }
  /** Hears the name of each fault. */
  onFault(name: string): void
}

/** How often a request meets a fault, and a stream. */
const FAULTY = 0.25

type Named = readonly [name: string, fault: Fault]

function splitAnywhere(random: SeededRandom): (chunk: Buffer) => Buffer[] {
  return (chunk) => {
    const parts: Buffer[] = []
    for (let from = 0; from < chunk.length; ) {
      const to = from + 1 + random.below(random.pick([1, 10, 100, 1_000]))
      parts.push(chunk.subarray(from, to))
      from = to
    }
    return parts
  }
}

export function createChance({ random, clock, onFault }: ChanceOptions): (seen: Seen) => Fault | undefined {
  const always: readonly (() => Named)[] = [
    () => ["drop", drop],
    () => ["half-open", halfOpen],
    () => ["500", refuse(500)],
    () => ["502 HTML", answerHtml(502)],
    () => ["200 HTML", answerHtml(200)],
    () => ["404 HTML", answerHtml(404)],
    () => ["429", refuse(429, { retryAfter: String(random.below(5)) })],
    () => ["delay", delay(clock, random.below(12_000))],
    () => ["401", refuse(401)],
  ]
  const ofRequests: readonly (() => Named)[] = [
    () => ["lost answer", loseAnswer],
    () => ["swallowed answer", swallowAnswer],
    () => ["cut upload", cutUpload],
    () => ["duplicate", duplicate],
  ]
  const ofClients: readonly (() => Named)[] = [() => ["404", refuse(404)], () => ["410", refuse(410)]]
  const ofStreams: readonly (() => Named)[] = [
    () => ["cut", shape({ cutAfter: random.below(3_000) })],
    () => ["ended", shape({ cutAfter: random.below(3_000), endsCleanly: true })],
    () => ["cut in a character", shape({ cutInCharacter: true })],
    () => ["split", shape({ split: splitAnywhere(random) })],
    () => ["split", shape({ split: splitAnywhere(random) })],
  ]
  const faultsOf = (kind: RequestKind): readonly (() => Named)[] => {
    if (kind === "stream") return [...always, ...ofStreams]
    // A client that its DELETE is told twice to be gone stays, if it lives for ever.
    return kind === "delete" || kind === "other" ? [...always, ...ofRequests] : [...always, ...ofRequests, ...ofClients]
  }
  return ({ kind }) => {
    if (!random.chance(FAULTY)) return undefined
    const [name, fault] = random.pick(faultsOf(kind))()
    onFault(`${kind}: ${name}`)
    return fault
  }
}

/** Chance from a seed: the same numbers each time, so that a run can be played again. */
export interface SeededRandom {
  readonly seed: number
  /** A number in [0, 1). */
  next(): number
  /** An integer in [0, below). */
  below(below: number): number
  chance(probability: number): boolean
  pick<Item>(items: readonly Item[]): Item
}

/** Mulberry32, by Tommy Ettinger. */
export function createRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    seed,
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (items) => items[below(items.length)]!,
  }
}

/** Runs what depends on chance with a seed of its own, or with `FAULT_SEED`; a failure says how to play it again. */
export async function seeded(run: (random: SeededRandom) => Promise<void> | void): Promise<void> {
  const given = process.env["FAULT_SEED"]
  const random = createRandom(given === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(given))
  try {
    await run(random)
  } catch (error) {
    if (error instanceof Error) error.message += `\n(play it again with FAULT_SEED=${random.seed})`
    throw error
  }
}

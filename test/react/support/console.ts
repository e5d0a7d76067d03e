// A test that imports this fails for every console.error and console.warn that it did not ask for.
import { afterEach, beforeEach, expect, vi } from "vitest"

let said: unknown[] = []

beforeEach(() => {
  said = []
  for (const kind of ["error", "warn"] as const) {
    vi.spyOn(console, kind).mockImplementation((first: unknown, ...rest: unknown[]) => {
      said.push(rest.length === 0 ? first : [first, ...rest])
    })
  }
})

afterEach(() => {
  vi.restoreAllMocks()
  expect(said).toEqual([])
})

/** What was said on the console since it was last asked for: a text or an error for each, or what `console.error` got. */
export function consoleSaid(): readonly unknown[] {
  const taken = said
  said = []
  return taken
}

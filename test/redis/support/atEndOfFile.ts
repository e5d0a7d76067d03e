import { afterAll } from "vitest"

const cleanups: (() => Promise<void> | void)[] = []

// Here, as the test file is read: what a hook or a test registers while it runs comes too late to be called.
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** Runs when the test file has ended, the last one first; may be called from within hooks and tests. */
export const atEndOfFile = (cleanup: () => Promise<void> | void): void => void cleanups.push(cleanup)

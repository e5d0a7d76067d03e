// Whoever waits for something to happen waits also on a machine that is busy: by default both give up after a second. Runs before each file.
import { vi } from "vitest"

/** How long a test waits for what it expects, in milliseconds. */
const PATIENCE_MS = 10_000

if (typeof document !== "undefined") {
  const { configure } = await import("@testing-library/react")
  configure({ asyncUtilTimeout: PATIENCE_MS })
}
const impatient = vi.waitFor
vi.waitFor = (callback, options) => impatient(callback, typeof options === "number" ? options : { timeout: PATIENCE_MS, ...options })

// What a test file finds where several run in one process, one after the other: this repository's modules as if none had been loaded, an
// empty document, and no mark of an earlier copy of the library. Only node_modules (React, jsdom, zod) is loaded once for all files, which
// is what takes the time. Runs before each file.
import { vi } from "vitest"

/** How long a test waits for what it expects, in milliseconds. */
const PATIENCE_MS = 10_000

const IMPATIENT = Symbol.for("react-tool-client-tests.impatient")
type Patient = typeof vi.waitFor & { [IMPATIENT]?: typeof vi.waitFor }

vi.resetModules()
vi.useRealTimers()
vi.unstubAllGlobals()
vi.unstubAllEnvs()

for (const key of Object.getOwnPropertySymbols(globalThis)) {
  if (Symbol.keyFor(key)?.startsWith("react-tool-client.")) Reflect.deleteProperty(globalThis, key)
}

// Not `document.body` itself: Testing Library holds on to it.
if (typeof document !== "undefined") {
  document.head.replaceChildren()
  document.body.replaceChildren()
  sessionStorage.clear()
  localStorage.clear()
}

// Whoever waits for something to happen waits also on a machine that is busy: by default both give up after a second.
if (typeof document !== "undefined") {
  const { configure } = await import("@testing-library/react")
  configure({ asyncUtilTimeout: PATIENCE_MS })
}
const original = (vi.waitFor as Patient)[IMPATIENT] ?? vi.waitFor
const patient: Patient = (callback, options) => original(callback, typeof options === "number" ? options : { timeout: PATIENCE_MS, ...options })
patient[IMPATIENT] = original
vi.waitFor = patient

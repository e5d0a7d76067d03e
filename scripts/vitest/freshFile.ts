// What a test file finds where several run in one process, one after the other: this repository's modules as if none had been loaded, an
// empty document, and no mark of an earlier copy of the library. Only node_modules (React, jsdom, zod) is loaded once for all files, which
// is what takes the time. Runs before each file.
import { vi } from "vitest"

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

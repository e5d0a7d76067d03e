// `npm test`: everything that `npm run check` runs, on a fresh clone too.
import { ensureChromium } from "./lib/chromium.mjs"
import { ensureRedisServer, ensureValkeyServer } from "./lib/redisServer.mjs"
import { ensureDependencies } from "./lib/setup.mjs"

ensureDependencies()
ensureDependencies("compat/react18")
try {
  process.env["CHROMIUM_PATH"] = ensureChromium()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
ensureRedisServer()
ensureValkeyServer()
await import("./check.mjs")

// How much an entry point weighs in an application's bundle: everything it exports, minified by esbuild and gzipped
// (-9), for a browser's production build. Fails over a limit, and for an entry that has none.
import { build } from "esbuild"
import { gzipSync } from "node:zlib"
import { entries, ROOT } from "./lib/entries.mjs"

const KIB = 1024

const ENGINE = ["quickjs-emscripten-core", "@jitl/quickjs-wasmfile-release-sync"]

/**
 * The limit in bytes, and what is not counted because the application has it, or runs it on a server, anyway.
 *
 * @type {Record<string, { limit: number, external: string[] }>}
 */
const limits = {
  // docs/decisions.md, "Size", has what it is made of.
  ".": { limit: 25 * KIB, external: ["react", "react/jsx-runtime"] },
  "./client": { limit: 21.125 * KIB, external: [] },
  "./hub": { limit: 23.875 * KIB, external: [] },
  "./hub/react": { limit: 5 * KIB, external: ["react", "react/jsx-runtime"] },
  "./query": { limit: 2.75 * KIB, external: ["react", "react/jsx-runtime", "@tanstack/react-query"] },
  "./server": { limit: 33.875 * KIB, external: ["node:*", "zod", "jose", "hono", "@hono/node-server", "ws"] },
  "./server/ai-sdk": { limit: 2.375 * KIB, external: ["ai"] },
  "./server/redis": { limit: 11.25 * KIB, external: ["node:*", "ioredis"] },
  "./server/mcp": { limit: 11.125 * KIB, external: ["@modelcontextprotocol/sdk"] },
  "./tools": { limit: 30.25 * KIB, external: ["zod", "ai", ...ENGINE] },
  "./sandbox-worker": { limit: 4 * KIB, external: ENGINE },
  "./webmcp": { limit: 16.375 * KIB, external: ["react", "react/jsx-runtime"] },
  // Absent from a production build: what is left is a component that renders nothing.
  "./devtools": { limit: 0.5 * KIB, external: ["react", "react/jsx-runtime", "react-dom"] },
  "./devtools/production": { limit: 33.75 * KIB, external: ["react", "react/jsx-runtime", "react-dom"] },
  "./testing": { limit: 17.875 * KIB, external: [] },
  "./testing/react": { limit: 18.25 * KIB, external: ["react", "react/jsx-runtime", "@testing-library/react"] },
  "./testing/vitest": { limit: 2 * KIB, external: ["vitest"] },
}

/** What of `.` is in the first load of an application whose provider loads its client. */
const HOOKS =
  "SessionProvider, useSession, useSessionState, useTool, useToolApproval, useToolCalls, useToolClient, useToolClientState, useToolContext, useTools, useToolStatus"
const HOOKS_LIMIT = 5.25 * KIB

/**
 * @param {string} contents
 * @param {string[]} external
 */
async function weigh(contents, external) {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    stdin: { contents, resolveDir: ROOT },
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    platform: "browser",
    define: { "process.env.NODE_ENV": '"production"' },
    external,
    write: false,
    logLevel: "error",
    tsconfigRaw: {},
  })
  return gzipSync(outputFiles[0]?.contents ?? new Uint8Array(), { level: 9 }).length
}

let isOver = false
/**
 * @param {string} what
 * @param {string} contents
 * @param {{ limit: number, external: string[] }} row
 */
async function check(what, contents, { limit, external }) {
  const bytes = await weigh(contents, external)
  isOver ||= bytes > limit
  const verdict = bytes > limit ? `OVER by ${bytes - limit}` : "ok"
  console.log(`${what.padEnd(28)} ${String(bytes).padStart(6)} bytes of ${limit}  ${verdict}`)
}

for (const { subpath, specifier, built } of entries) {
  const row = limits[subpath]
  if (row === undefined) {
    console.error(`${specifier} has no limit in scripts/size.mjs`)
    isOver = true
    continue
  }
  await check(specifier, `export * from "./${built}"`, row)
  if (subpath === ".") await check("  its hooks alone", `export { ${HOOKS} } from "./${built}"`, { ...row, limit: HOOKS_LIMIT })
}
process.exitCode = isOver ? 1 : 0

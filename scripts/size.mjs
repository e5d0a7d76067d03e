// How much an entry point weighs in an application's bundle: everything it exports, minified by esbuild and gzipped
// (-9), for a browser's production build. Fails over a limit, and for an entry that has none.
import { build } from "esbuild"
import { gzipSync } from "node:zlib"
import { entries, ROOT } from "./lib/entries.mjs"

const KIB = 1024

/**
 * The limit in bytes, and what is not counted because the application has it, or runs it on a server, anyway.
 *
 * @type {Record<string, { limit: number, external: string[] }>}
 */
const limits = {
  // docs/decisions.md, "Size", has what it is made of.
  ".": { limit: 21 * KIB, external: ["react", "react/jsx-runtime"] },
  "./client": { limit: 18 * KIB, external: [] },
  "./hub": { limit: 19.75 * KIB, external: [] },
  "./hub/react": { limit: 5 * KIB, external: ["react", "react/jsx-runtime"] },
  "./query": { limit: 2 * KIB, external: ["react", "react/jsx-runtime", "@tanstack/react-query"] },
  "./server": { limit: 20 * KIB, external: ["node:*", "zod", "jose", "hono", "@hono/node-server", "ws"] },
  "./server/ai-sdk": { limit: 2 * KIB, external: ["ai"] },
  "./server/redis": { limit: 8 * KIB, external: ["node:*", "ioredis"] },
  "./tools": { limit: 15.25 * KIB, external: ["zod", "ai", "quickjs-emscripten"] },
  "./webmcp": { limit: 14 * KIB, external: ["react", "react/jsx-runtime"] },
  // Absent from a production build: what is left is a component that renders nothing.
  "./devtools": { limit: 0.5 * KIB, external: ["react", "react/jsx-runtime", "react-dom"] },
  "./devtools/production": { limit: 32 * KIB, external: ["react", "react/jsx-runtime", "react-dom"] },
  "./testing": { limit: 15.5 * KIB, external: [] },
  "./testing/react": { limit: 15.5 * KIB, external: ["react", "react/jsx-runtime", "@testing-library/react"] },
  "./testing/vitest": { limit: 2 * KIB, external: ["vitest"] },
}

/**
 * @param {string} built
 * @param {string[]} external
 */
async function weigh(built, external) {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [built],
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
for (const { subpath, specifier, built } of entries) {
  const row = limits[subpath]
  if (row === undefined) {
    console.error(`${specifier} has no limit in scripts/size.mjs`)
    isOver = true
    continue
  }
  const bytes = await weigh(built, row.external)
  isOver ||= bytes > row.limit
  const verdict = bytes > row.limit ? `OVER by ${bytes - row.limit}` : "ok"
  console.log(`${specifier.padEnd(28)} ${String(bytes).padStart(6)} bytes of ${row.limit}  ${verdict}`)
}
process.exitCode = isOver ? 1 : 0

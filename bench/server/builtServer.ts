import { build } from "esbuild"
import { fileURLToPath } from "node:url"

let built: Promise<string> | undefined

/**
 * The server's process as one file, made as the package is built. What runs TypeScript as it stands (`tsx`) keeps the name of each function by a call,
 * which costs a server that makes functions for each request a third of its time.
 */
export const builtServer = (): Promise<string> =>
  (built ??= (async () => {
    // Below node_modules, where packages are found.
    const outfile = fileURLToPath(new URL("../../node_modules/.cache/bench/serverProcess.mjs", import.meta.url))
    await build({ entryPoints: [fileURLToPath(new URL("serverProcess.ts", import.meta.url))], outfile, bundle: true, platform: "node", format: "esm", packages: "external", target: "node20" })
    return outfile
  })())

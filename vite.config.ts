import { defineConfig, type Plugin } from "vite"
import { commands, entries, nodeEntries, privateImports } from "./scripts/lib/entries.mjs"

/**
 * Leaves `new Worker(new URL("./x.ts", import.meta.url))` as it stands, but for the file's name: it is the application's bundler that builds the
 * worker. Vite would do it here, and put it into the text.
 */
const workersAsWritten: Plugin = {
  name: "workers-as-written",
  enforce: "pre",
  // Lines stay lines: the source map holds.
  transform: (code) => (code.includes("new Worker(") ? { code: code.replace(/(new Worker\(new URL\("[^"]+)\.ts", import\.meta\.url\)/g, '$1.js", __MODULE_URL__)'), map: null } : null),
  renderChunk: (code) => (code.includes("__MODULE_URL__") ? { code: code.replaceAll("__MODULE_URL__", "import.meta.url"), map: null } : null),
}

// The library's build, each source file to a file of its own: entries share their modules, `"use client"` stays with
// the file that says it, and the two files behind `#stream` exist for package.json's conditions to choose from.
export default defineConfig({
  plugins: [workersAsWritten],
  publicDir: false,
  build: {
    outDir: "dist",
    emptyOutDir: true,
    minify: false,
    sourcemap: true,
    target: "es2022",
    lib: { entry: [...entries, ...nodeEntries, ...privateImports, ...commands].map(({ source }) => source), formats: ["es"] },
    rolldownOptions: {
      external: [/^node:/, /^[^./\0]/],
      onLog(level, log, handler) {
        // That the directive is kept is checked on the result, in scripts/build.mjs.
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") handler(level, log)
      },
      // Constants stay `const`, so that an application's bundler writes a number, or what `isDevelopment` says, in their place.
      output: { preserveModules: true, preserveModulesRoot: "src", entryFileNames: "[name].js", topLevelVar: false },
    },
  },
})

import { defineConfig } from "vite"
import { commands, entries, privateImports } from "./scripts/lib/entries.mjs"

// The library's build, each source file to a file of its own: entries share their modules, `"use client"` stays with
// the file that says it, and the two files behind `#stream` exist for package.json's conditions to choose from.
export default defineConfig({
  publicDir: false,
  build: {
    outDir: "dist",
    emptyOutDir: true,
    minify: false,
    sourcemap: true,
    target: "es2022",
    lib: { entry: [...entries, ...privateImports, ...commands].map(({ source }) => source), formats: ["es"] },
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

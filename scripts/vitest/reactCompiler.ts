import { transformAsync } from "@babel/core"
import type { Plugin } from "vitest/config"

/** Compiles every component and hook outside node_modules with the React Compiler; what it cannot compile fails. */
export function reactCompiler(): Plugin {
  return {
    name: "react-compiler",
    enforce: "pre",
    async transform(code, id) {
      const [filename = id] = id.split("?")
      if (!/\.tsx?$/.test(filename) || filename.includes("/node_modules/")) return null
      const result = await transformAsync(code, {
        filename,
        babelrc: false,
        configFile: false,
        sourceMaps: true,
        parserOpts: { plugins: ["typescript", "jsx"] },
        plugins: [["babel-plugin-react-compiler", { target: "19", panicThreshold: "all_errors" }]],
      })
      return result?.code == null ? null : { code: result.code, map: result.map ?? null }
    },
  }
}

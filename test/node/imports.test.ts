import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { violations } from "./importRules.ts"

const SRC = join(import.meta.dirname, "../../src")

/** Tests may import whatever helps them. */
const sources = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => /\.tsx?$/.test(path) && !/\.(test|test-d)\.tsx?$/.test(path))

describe("imports in src keep to the design's directions", () => {
  it("in every file", () => {
    expect(sources.length).toBeGreaterThan(0)
    expect(sources.flatMap((path) => violations(path, readFileSync(join(SRC, path), "utf8")))).toEqual([])
  })

  it.each([
    ["lib/store.ts", `import { parse } from "../tool/parse.ts"`, "src/lib/store.ts must not import src/tool/parse.ts"],
    ["lib/store.ts", `import type { Tool } from "../tool/tool.ts"`, "src/lib/store.ts must not import src/tool/tool.ts"],
    ["tool/tool.ts", `export * from "../wire/http.ts"`, "src/tool/tool.ts must not import src/wire/http.ts"],
    ["connection/a.ts", `const a = await import("../session/b.ts")`, "src/connection/a.ts must not import src/session/b.ts"],
    ["react/a.tsx", `type A = import("../server/b.ts").B`, "src/react/a.tsx must not import src/server/b.ts"],
    ["react/a.tsx", `import "../session/../server/b.ts"`, "src/react/a.tsx must not import src/server/b.ts"],
    ["toolClient/a.ts", `import { b } from "../wire/b.ts"`, "src/toolClient/a.ts must not import src/wire/b.ts"],
    ["session/a.ts", `import { useState } from "react"`, "src/session/a.ts must not import react"],
    ["wire/http.ts", `import http from "node:http"`, "src/wire/http.ts must not import node:http"],
    ["tool/a.ts", `import { z } from "zod"`, "src/tool/a.ts must not import zod"],
    ["client.ts", `export { useTool } from "./react/useTool.ts"`, "src/client.ts must not import src/react/useTool.ts"],
    ["elsewhere/a.ts", ``, "src/elsewhere/a.ts: no row in RULES for this place"],
  ])("refuses, in %s: %s", (path, text, sentence) => {
    expect(violations(path, text)).toEqual([sentence])
  })

  it.each([
    ["toolClient/a.ts", `import type { B } from "../wire/b.ts"`],
    ["toolClient/a.ts", `import { RESULT_DEADLINE_MS } from "../wire/limits.ts"`],
    ["wire/streamNode.ts", `import http from "node:http"`],
    ["react/a.ts", `import { useSyncExternalStoreWithSelector } from "use-sync-external-store/with-selector"`],
    ["react/deep/a.ts", `import { b } from "../b.ts"`],
    ["index.ts", `export { useTool } from "./react/useTool.ts"`],
  ])("allows, in %s: %s", (path, text) => {
    expect(violations(path, text)).toEqual([])
  })
})

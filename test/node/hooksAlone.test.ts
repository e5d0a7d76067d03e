import { build } from "esbuild"
import { expect, it } from "vitest"
import { ROOT } from "../../scripts/lib/entries.mjs"

/** All that an application needs in its first load where its provider loads the client. */
const HOOKS = "SessionProvider, useSession, useSessionState, useTool, useToolApproval, useToolCalls, useToolClient, useToolClientState, useToolContext, useTools, useToolStatus"

it("The hooks alone, whose provider loads its client later, bring no code of sessions, connections or the wire.", async () => {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    stdin: { contents: `export { ${HOOKS} } from "./src/index.ts"`, resolveDir: ROOT, loader: "ts" },
    bundle: true,
    format: "esm",
    packages: "external",
    alias: { "#stream": `${ROOT}src/wire/streamFetch.ts` },
    metafile: true,
    write: false,
    outdir: "unused",
    logLevel: "silent",
    tsconfigRaw: { compilerOptions: { jsx: "react-jsx" } },
  })
  const [output] = Object.values(metafile.outputs)
  const held = Object.entries(output?.inputs ?? {}).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : []))
  expect(held.filter((path) => /^src\/(session|connection|wire|hub|server)\//.test(path))).toEqual([])
  expect(held).toContain("src/react/useTool.ts")
})

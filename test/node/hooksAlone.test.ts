import { build } from "esbuild"
import { build as buildApplication, type Rolldown } from "vite"
import { expect, it } from "vitest"
import { ROOT, sourceAliases } from "../../scripts/lib/entries.mjs"

/** All that an application needs in its first load where its provider loads the client. */
const HOOKS = "SessionProvider, useSession, useSessionState, useTool, useToolApproval, useToolCalls, useToolClient, useToolClientState, useToolContext, useTools, useToolStatus"

/** What comes with the client: sessions, connections, the wire, and what checks and converts definitions. */
const OF_THE_CLIENT = /^src\/(session|connection|wire|hub|server|tool\/(checkTool|parameters|sameSchema|copyJson))\b/

it("The hooks alone, whose provider loads its client later, bring no code of sessions, connections or the wire, nor what checks definitions.", async () => {
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
  expect(held.filter((path) => OF_THE_CLIENT.test(path))).toEqual([])
  expect(held).toContain("src/react/useTool.ts")
})

/** Two files of an application, as README shows them. */
const FILES: Readonly<Record<string, string>> = {
  "app.js": `export { ${HOOKS} } from "react-tool-client"; export const load = () => import("sessionClient.js")`,
  "sessionClient.js": `import { createSessionClient, SessionError } from "react-tool-client"; export { SessionError }; export default createSessionClient({ baseUrl: "/", getToken: () => "" })`,
}

it("In an application that Vite builds, hooks and client of one import lie in two loads.", async () => {
  const { output } = (await buildApplication({
    configFile: false,
    logLevel: "silent",
    resolve: { alias: sourceAliases("default") },
    plugins: [{ name: "files", enforce: "pre", resolveId: (id) => (id in FILES ? id : null), load: (id) => FILES[id] ?? null }],
    build: {
      write: false,
      minify: false,
      rollupOptions: { input: "app.js", external: /^(react|use-sync-external-store|eventsource-parser)(\/|$)/, preserveEntrySignatures: "strict" },
    },
  })) as Rolldown.RolldownOutput
  const chunks = new Map(output.flatMap((one) => (one.type === "chunk" ? [[one.fileName, one] as const] : [])))
  const modulesOf = (first: Rolldown.OutputChunk | undefined): string[] => {
    const names = new Set(first && [first.fileName])
    for (const name of names) chunks.get(name)?.imports.forEach((imported) => names.add(imported))
    return [...names].flatMap((name) => Object.entries(chunks.get(name)?.modules ?? {}).flatMap(([id, { code }]) => (code ? [id.replace(ROOT, "")] : [])))
  }
  const firstLoad = modulesOf([...chunks.values()].find(({ isEntry }) => isEntry))
  expect(firstLoad).toContain("src/react/useTool.ts")
  expect(firstLoad.filter((path) => OF_THE_CLIENT.test(path))).toEqual([])
  expect(modulesOf([...chunks.values()].find(({ isDynamicEntry }) => isDynamicEntry))).toContain("src/session/sessionClient.ts")
})

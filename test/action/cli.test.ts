import { writeFileSync } from "node:fs"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { createActionHost, defineAction, defineProvider, manifestOf, type Provider, ProviderRegistry } from "react-tool-client/tools"
import ts from "typescript"
import { describe, expect, it, onTestFinished } from "vitest"
import { z } from "zod"
import { run } from "../../src/cli/run.ts"
import { demo } from "./support/demoProviders.ts"
import { quiet } from "./support/maps.ts"
import { serve } from "./support/serve.ts"

const Node = z.object({
  value: z.number(),
  get kids() {
    return z.array(Node)
  },
}).meta({ id: "Node" })

/** Schemas that are hard to write as types, and texts that would be code. */
const tree = defineProvider({
  id: "tree",
  name: "Tree",
  actions: [
    defineAction({
      id: "grow",
      name: "Grow */ evil()",
      description: "Grows.\n*/ evil()",
      input: z.object({ root: Node, "odd \"key\"\n": z.literal("`${evil()}`").optional() }),
      output: Node,
      execute: ({ root }) => root,
    }),
    defineAction({
      id: "pair",
      name: "Pair",
      input: z.object({ kind: z.enum(["a", "b"]), n: z.number().meta({ tsType: "evil()", title: "N; evil()" }) }),
      output: z.union([z.tuple([z.number(), z.string()]), z.record(z.string(), z.boolean())]),
      execute: () => ({}),
    }),
  ],
})

async function setUp(...providers: Provider[]) {
  const cwd = await mkdtemp(join(tmpdir(), "types-"))
  onTestFinished(() => rm(cwd, { recursive: true }))
  const registry = new ProviderRegistry({ providers })
  const printed: string[] = []
  const warned: string[] = []
  const cli = (...args: string[]) => run(args, { cwd, print: (text) => printed.push(text), warn: (text) => warned.push(text) })
  return { cwd, registry, printed, warned, cli }
}

/** What the compiler says of a file that uses the types. */
function compile(cwd: string, types: string, use: string): string[] {
  writeFileSync(join(cwd, "api.ts"), types)
  writeFileSync(join(cwd, "use.ts"), use)
  const program = ts.createProgram([join(cwd, "use.ts")], { strict: true, noEmit: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, types: [] })
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))
}

describe("react-tool-client types", () => {
  it("writes, from a host's URL, types that compile and that say what each action takes and gives", async () => {
    const { cwd, registry, printed, cli } = await setUp(demo, tree)
    const url = await serve(createActionHost({ registry, authorize: "anyone", logger: quiet }).fetch)
    expect(await cli("types", url)).toBe(0)
    expect(await cli("types", `${url}/api/client/schema`)).toBe(0)
    const [types = "", again] = printed
    expect(again).toBe(types)
    expect(types).toContain(`export const API_VERSION = "${(await manifestOf(registry)).version}"`)
    expect(types.replace(/'odd.*\n/, "").replace(/"`.*`"/, "").replace(/\/\*\*[^]*?\*\//g, "")).not.toContain("evil()")
    const use = `
      import type { ApiSchema } from "./api"
      type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
      const is = <T extends true>(): T | undefined => undefined
      type Actions = ApiSchema["actions"]
      is<Equal<Actions["demoAdd"]["output"]["sum"], number>>()
      is<Equal<Actions["demoRemember"]["output"]["before"], string | null>>()
      is<Equal<Actions["demoFail"]["output"], null>>()
      is<Equal<Actions["treePair"]["output"], [number, string] | { [k: string]: boolean }>>()
      is<Equal<Actions["treePair"]["input"]["kind"], "a" | "b">>()
      is<Equal<Actions["treeGrow"]["output"]["kids"][number]["kids"][number]["value"], number>>()
      is<Equal<ApiSchema["events"]["demo.bought"]["thing"], string>>()
      is<Equal<ApiSchema["entities"]["demo.note"]["text"], string>>()
      export const inputs: [Actions["demoAdd"]["input"], Actions["demoAdd"]["input"]] = [{ a: 1 }, { a: 1, b: 2 }]
      export const wrong: Actions["demoAdd"]["input"] = { a: "x" }`
    expect(compile(cwd, types, use)).toEqual(["Type 'string' is not assignable to type 'number'."])
  }, 30_000)

  it("writes a file from a file, and tells when it is out of date", async () => {
    const { cwd, registry, warned, cli } = await setUp(demo)
    const manifest = await manifestOf(registry)
    await writeFile(join(cwd, "manifest.json"), JSON.stringify(manifest))
    expect(await cli("types", "manifest.json", "-o", "api.ts", "--check")).toBe(1)
    expect(warned.at(-1)).toContain("not a file of types")
    expect(await cli("types", "manifest.json", "-o", "api.ts")).toBe(0)
    expect(await readFile(join(cwd, "api.ts"), "utf8")).toContain("export interface ApiSchema")
    expect(await cli("types", "manifest.json", "--output", "api.ts", "--check")).toBe(0)
    await writeFile(join(cwd, "manifest.json"), JSON.stringify({ ...manifest, version: "newer" }))
    expect(await cli("types", "manifest.json", "-o", "api.ts", "--check")).toBe(1)
    expect(warned.at(-1)).toContain(`of the manifest ${manifest.version}, the host has newer`)
  })

  it("reads a file with a byte order mark or by its URL, and makes the folder that it writes into", async () => {
    const { cwd, registry, warned, cli } = await setUp(demo)
    const path = join(cwd, "manifest.json")
    await writeFile(path, `\uFEFF${JSON.stringify(await manifestOf(registry))}`)
    expect(await cli("types", pathToFileURL(path).href, "-o", "src/generated/api.ts")).toBe(0)
    expect(await cli("types", "manifest.json", "-o", "src/generated/api.ts", "--check")).toBe(0)
    expect(warned).toEqual([])
    expect(await cli("types", "manifest.json", "-o", "src")).toBe(1)
    expect(warned.at(-1)).toMatch(/src could not be written: /)
  })

  it.each(['a "quoted" one', "back\\slash", "line\nbreak", "line\u2028separator", "*/"])("knows the version %j of a file again", async (version) => {
    const { cwd, registry, warned, cli } = await setUp(demo)
    await writeFile(join(cwd, "manifest.json"), JSON.stringify({ ...(await manifestOf(registry)), version }))
    expect(await cli("types", "manifest.json", "-o", "api.ts")).toBe(0)
    expect(await cli("types", "manifest.json", "-o", "api.ts", "--check")).toBe(0)
    expect(warned).toEqual([])
  })

  it.each([
    ["output", /^Tool "demo\.\w+": the types could not be written of its output: /],
    ["schema", /^the types could not be written of the (entity|event) "demo\.\w+": /],
  ])("says whose the schema is that cannot be written: an %s", async (key, message) => {
    const { cwd, registry, warned, cli } = await setUp(demo)
    const text = JSON.stringify(await manifestOf(registry)).replace(`"${key}":{`, `"${key}":{"$ref":"#/$defs/none",`)
    await writeFile(join(cwd, "manifest.json"), text)
    expect(await cli("types", "manifest.json")).toBe(1)
    expect(warned.at(-1)).toMatch(message)
  })

  it("sends headers to a host that wants to know who asks", async () => {
    const { registry, printed, warned, cli } = await setUp(demo)
    const authorize = (request: Request) => ({ status: request.headers.get("authorization") === "Bearer a:b" ? ("allowed" as const) : ("unauthorized" as const) })
    const url = await serve(createActionHost({ registry, logger: quiet, authorize }).fetch)
    expect(await cli("types", url)).toBe(1)
    expect(warned.at(-1)).toContain("credentials")
    expect(await cli("types", url, "-H", "Authorization: Bearer a:b")).toBe(0)
    expect(printed).toHaveLength(1)
  })

  it.each([
    [["types"], 2, "name one host"],
    [["types", "a", "b"], 2, "name one host"],
    [["types", "a", "--check"], 2, "-o file"],
    [["types", "a", "--odd"], 2, "--odd"],
    [["types", "a", "-H", "odd"], 2, "a header is written"],
    [["types", "nowhere.json"], 1, "nowhere.json could not be read as JSON"],
    [["types", "ftp://host.test/manifest"], 2, 'not from "ftp://host.test/manifest"'],
    [["odd"], 2, 'no command "odd"'],
    [[], 2, "Usage:"],
  ])("says what is wrong with %j", async (args, code, text) => {
    const { warned, cli } = await setUp()
    expect(await cli(...args)).toBe(code)
    expect(warned.join("\n")).toContain(text)
  })

  it("refuses a manifest that is none, with the path", async () => {
    const { cwd, warned, cli } = await setUp()
    await writeFile(join(cwd, "manifest.json"), '{"format":1,"version":"x","providers":[{}]}')
    expect(await cli("types", "manifest.json")).toBe(1)
    expect(warned.at(-1)).toContain("providers[0].id")
  })

  it("reads a definition whose name is no percent-encoded text", async () => {
    const { cwd, registry, printed, cli } = await setUp(demo)
    const text = JSON.stringify(await manifestOf(registry)).replace('"input":{', '"input":{"$defs":{"a%b":{"type":"string"}},"anyOf":[{"$ref":"#/$defs/a%b"}],')
    await writeFile(join(cwd, "manifest.json"), text)
    expect(await cli("types", "manifest.json")).toBe(0)
    expect(printed.at(-1)).toContain("ApiSchema")
  })

  it("fetches nothing that a manifest points at", async () => {
    const { cwd, registry, warned, cli } = await setUp(demo)
    let asked = 0
    const url = await serve(() => {
      asked++
      return Promise.resolve(Response.json({ type: "string" }))
    })
    const text = JSON.stringify(await manifestOf(registry)).replace('"input":{', `"input":{"$ref":"${url}/x",`)
    await writeFile(join(cwd, "manifest.json"), text)
    expect(await cli("types", "manifest.json")).toBe(1)
    expect(warned.at(-1)).toMatch(/^Tool "demo\.\w+": the types could not be written of its input: /)
    expect(asked).toBe(0)
  })

  it("shows its help", async () => {
    const { printed, cli } = await setUp()
    expect(await cli("--help")).toBe(0)
    expect(printed.join()).toContain("react-tool-client types <host, manifest URL or file>")
  })
})

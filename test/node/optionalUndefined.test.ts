import ts from "typescript"
import { beforeAll, expect, test } from "vitest"
import { entries, ROOT } from "../../scripts/lib/entries.mjs"
import { strictOptionals } from "./optionalUndefined.ts"

/** The types of all entries are read, and those of the packages that they name, beside everything else that a busy machine does. Milliseconds. */
const TIMEOUT_MS = 120_000

const EXAMPLE = "/example.ts"
const EXAMPLE_TEXT = `
  interface Nested { deep?: string }
  export interface GivenOptions { good?: string | undefined; bad?: string; nested?: Nested | undefined; all?: Partial<{ one: number }> | undefined }
  export interface Got { fine?: string; method(options: { wrong?: number }): void; on(listener: (event: { fine?: number }) => { result?: boolean }): void }
  export function make<T extends { generic?: string }>(options: GivenOptions, item: T): Got { return options as unknown as Got }
`
/** Sessions and what is in them. */
const HANDLES = ["Session", "TestSession", "ToolClient"]

const files = entries.map(({ source }) => ROOT + source)
let program: ts.Program

beforeAll(() => {
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, (path) => ts.sys.readFile(path)) as { config: object }
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT)
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists } = host
  host.fileExists = (path) => path === EXAMPLE || fileExists(path)
  host.getSourceFile = (path, ...rest) =>
    path === EXAMPLE ? ts.createSourceFile(path, EXAMPLE_TEXT, ts.ScriptTarget.ES2022, true) : getSourceFile.call(host, path, ...rest)
  program = ts.createProgram([...files, EXAMPLE], options, host)
}, TIMEOUT_MS)

test("Each optional property that users give takes `undefined`, whatever their compiler is told of it.", () => {
  expect(program.getCompilerOptions().exactOptionalPropertyTypes).toBe(true)
  expect(strictOptionals(program, files, (path) => path.startsWith(`${ROOT}src/`), HANDLES)).toEqual([])
}, TIMEOUT_MS)

test("What takes no `undefined` is found in parameters, in callbacks' results and behind what is returned, and nowhere else.", () => {
  const names = strictOptionals(program, [EXAMPLE], (path) => path === EXAMPLE).map((found) => found.split(".").at(-1))
  expect(names.sort()).toEqual(["bad", "deep", "generic", "one", "result", "wrong"])
})

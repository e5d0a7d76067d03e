import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import ts from "typescript"
import { expect, it } from "vitest"
import { importsOf } from "../node/importRules.ts"

const ROOT = join(import.meta.dirname, "../..")

/** The packages that the declarations of an entry name, as a project sees them that checks its libraries, too. */
function packagesInDeclarations(entry: string): readonly string[] {
  const packages = new Set<string>()
  const seen = new Set<string>()
  const visit = (path: string): void => {
    if (seen.has(path)) return
    seen.add(path)
    const { outputText } = ts.transpileDeclaration(readFileSync(path, "utf8"), {
      fileName: path,
      compilerOptions: { target: ts.ScriptTarget.ES2022, strict: true, allowImportingTsExtensions: true, jsx: ts.JsxEmit.ReactJSX },
    })
    for (const { specifier } of importsOf(path, outputText)) {
      if (!specifier.startsWith(".")) packages.add(specifier)
      else if (existsSync(join(dirname(path), specifier))) visit(join(dirname(path), specifier))
    }
  }
  visit(join(ROOT, entry))
  return [...packages].sort()
}

it("name none of the packages that only some users install", () => {
  expect(packagesInDeclarations("src/tools.ts")).toEqual(["@standard-schema/spec"])
})

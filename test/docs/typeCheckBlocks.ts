import ts from "typescript"
import { blocksOf, documents } from "../../scripts/lib/docBlocks.mjs"
import { ROOT } from "../../scripts/lib/entries.mjs"

/** What a reader may run into who copies the code, and what is only unused because the rest of the example is theirs. */
const LENIENT: ts.CompilerOptions = { noUnusedLocals: false, noUnusedParameters: false, noEmit: true }

/** Type-checks every block of code of every document in one program, as modules beside the package's sources. Gives one text for each error. */
export function typeCheckBlocks(): string[] {
  const blocks = new Map(documents().flatMap((document) => blocksOf(document).map((block) => [block.path, block])))
  const config = ts.getParsedCommandLineOfConfigFile(`${ROOT}tsconfig.json`, LENIENT, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, "\n"))
    },
  })
  if (config === undefined) throw new Error("tsconfig.json cannot be read")
  const files = ts.createCompilerHost(config.options)
  const host: ts.CompilerHost = {
    ...files,
    fileExists: (path) => blocks.has(path) || files.fileExists(path),
    // TypeScript looks into no folder that is not there.
    directoryExists: (path) => [...blocks.keys()].some((block) => block.startsWith(`${path}/`)) || ts.sys.directoryExists(path),
    readFile: (path) => blocks.get(path)?.code ?? files.readFile(path),
    getSourceFile(path, options, ...rest) {
      const block = blocks.get(path)
      // A block without an import is a module all the same: names of two blocks must not meet.
      return block ? ts.createSourceFile(path, `${block.code}\nexport {}`, options) : files.getSourceFile(path, options, ...rest)
    },
  }
  const program = ts.createProgram([...blocks.keys(), `${ROOT}playground/src/cssModules.d.ts`], config.options, host)
  return [...blocks.values()].flatMap(({ document, line, path }) =>
    ts.getPreEmitDiagnostics(program, program.getSourceFile(path)).map(({ file, start = 0, messageText }) => {
      const offset = file?.getLineAndCharacterOfPosition(start).line ?? 0
      return `${document}:${line + offset} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`
    }),
  )
}

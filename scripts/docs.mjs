// The reference, made by TypeDoc from the sources' own comments: one page for each entry point, into docs/reference. Fails over a
// link that leads nowhere, and over a public name whose type is not itself public.
import { join } from "node:path"
import { Application } from "typedoc"
import { entries, ROOT } from "./lib/entries.mjs"

const app = await Application.bootstrap({
  name: "react-tool-client",
  entryPoints: entries.map(({ source }) => join(ROOT, source)),
  tsconfig: join(ROOT, "tsconfig.json"),
  out: join(ROOT, "docs/reference"),
  readme: join(ROOT, "README.md"),
  projectDocuments: [join(ROOT, "docs/guides/*.md")],
  // tsc has its own check.
  skipErrorChecking: true,
  disableSources: true,
  excludeInternal: true,
  excludePrivate: true,
  githubPages: false,
  // What public types are made of, and whose every member stands in them.
  intentionallyNotExported: ["CallBase", "SessionBase", "ToolClientBase", "JsonObjectLike", "RemoteErrorOptions", "SessionErrorOptions", "SessionServerErrorOptions", "TOOL_ERROR_CODES", "OfSession", "OfCall", "OfClient", "CommonOptions", "OneOfTools", "InferredResult", "InlineTool", "Some", "ShareOptions"],
  validation: { invalidLink: true, notExported: true, notDocumented: false },
  treatWarningsAsErrors: true,
  logLevel: "Warn",
})
const project = await app.convert()
if (project === undefined) process.exit(1)
app.validate(project)
if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exit(1)
await app.generateOutputs(project)

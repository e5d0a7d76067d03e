// Which folder of src may import what, and how that is read from the sources. The table is the design's; the test is
// beside it, in imports.test.ts.
import { posix } from "node:path"
import ts from "typescript"

interface Rule {
  /** Folders (`lib`), single files (`wire/limits.ts`), or only the types of a folder (`type wire`). */
  src: readonly string[]
  /** Packages by name; `node:` stands for all of Node's own modules. */
  packages?: readonly string[]
}

const HOOKS_MAY_USE = ["session", "toolClient", "tool", "lib", "type connection", "type wire"]
const REACT = ["react", "use-sync-external-store"]

/** By folder of src; a file directly in src is an entry point with a row of its own. */
export const RULES: Readonly<Record<string, Rule>> = {
  lib: { src: [] },
  tool: { src: ["lib"], packages: ["@standard-schema/spec"] },
  // The protocol carries a tool as src/tool describes it.
  wire: { src: ["tool", "lib"], packages: ["#stream", "eventsource-parser"] },
  "wire/streamNode.ts": { src: ["wire", "lib"], packages: ["node:"] },
  connection: { src: ["wire", "lib"] },
  toolClient: { src: ["tool", "lib", "type wire", "wire/limits.ts"] },
  session: { src: ["connection", "toolClient", "tool", "wire", "lib"] },
  // The same state, back-off and page events as the HTTP session's; the tab's id tells a reload from another tab.
  hub: { src: ["connection", "toolClient", "tool", "lib", "wire/sessionError.ts", "session/tabId.ts"], packages: ["#webSocket"] },
  "hub/webSocketNode.ts": { src: ["hub"], packages: ["ws", "node:"] },
  action: { src: ["tool", "lib"], packages: ["#createWorker", "@standard-schema/spec", "zod", "ai", "quickjs-emscripten-core", "@jitl/quickjs-wasmfile-release-sync"] },
  "action/sandbox/createWorkerNode.ts": { src: ["action"], packages: ["worker_threads"] },
  "action/sandbox/sandboxWorkerNode.ts": { src: ["action", "tool", "lib"], packages: ["node:"] },
  react: { src: HOOKS_MAY_USE, packages: [...REACT, "@standard-schema/spec"] },
  hubReact: { src: ["react", "hub", ...HOOKS_MAY_USE], packages: REACT },
  query: { src: ["react", "hub", "action", ...HOOKS_MAY_USE], packages: [...REACT, "@tanstack/react-query"] },
  devtools: { src: [...HOOKS_MAY_USE, "wire/limits.ts"], packages: ["react", "react-dom", "@tanstack/react-virtual"] },
  webmcp: { src: ["toolClient", "tool", "react", "lib"], packages: REACT },
  server: {
    src: ["wire", "hub/messages.ts", "hub/messageSize.ts", "hub/remoteError.ts", "action", "tool", "lib"],
    packages: ["zod", "jose", "hono", "@hono/node-server", "ws", "node:", "ioredis"],
  },
  // Bridges to agents: what only they need must not come with the server.
  "server/aiSdk": { src: ["server", "action", "tool", "lib"], packages: ["ai"] },
  "server/mcp": { src: ["server", "action", "hub/messages.ts", "hub/remoteError.ts", "tool", "lib"], packages: ["@modelcontextprotocol/sdk"] },
  testing: { src: ["server", "react", "hub", "action", "session", "connection", "toolClient", "tool", "wire", "lib"] },
  "testing/renderWithSession.tsx": { src: ["react", "testing"], packages: ["react", "@testing-library/react"] },
  "testing/vitest.ts": { src: ["testing"], packages: ["vitest"] },
  cli: { src: ["server", "action", "tool", "lib"], packages: ["node:", "json-schema-to-typescript", "@modelcontextprotocol/sdk", "@opentelemetry/api"] },
  "index.ts": { src: ["react", "session", "toolClient", "tool", "wire", "lib"] },
  "tools.ts": { src: ["action", "tool", "lib"] },
  "client.ts": { src: ["session", "toolClient", "tool", "wire", "lib"] },
}

interface Import {
  specifier: string
  isTypeOnly: boolean
}

/** Everything that a source imports or re-exports, dynamic imports and `import("...")` types included. */
export function importsOf(path: string, text: string): Import[] {
  const found: Import[] = []
  const add = (specifier: ts.Node | undefined, isTypeOnly: boolean) => {
    if (specifier && ts.isStringLiteral(specifier)) found.push({ specifier: specifier.text, isTypeOnly })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword)
    } else if (ts.isExportDeclaration(node)) {
      add(node.moduleSpecifier, node.isTypeOnly)
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal, true)
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], false)
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest))
  return found
}

function allowsSource(rule: Rule, target: string, isTypeOnly: boolean): boolean {
  return rule.src.some((allowed) => {
    const place = allowed.replace(/^type /, "")
    if (place !== allowed && !isTypeOnly) return false
    return target === place || target.startsWith(`${place}/`)
  })
}

function allowsPackage(rule: Rule, specifier: string): boolean {
  return (rule.packages ?? []).some((allowed) =>
    allowed.endsWith(":") ? specifier.startsWith(allowed) : specifier === allowed || specifier.startsWith(`${allowed}/`),
  )
}

/**
 * What in a source breaks the table, one sentence each.
 *
 * @param path relative to src: `react/useTool.ts`
 */
export function violations(path: string, text: string, rules = RULES): string[] {
  const [folder = path] = path.split("/")
  const rule = rules[path] ?? rules[posix.dirname(path)] ?? rules[folder]
  if (rule === undefined) return [`src/${path}: no row in RULES for this place`]
  return importsOf(path, text).flatMap(({ specifier, isTypeOnly }) => {
    if (!specifier.startsWith(".")) {
      return allowsPackage(rule, specifier) ? [] : [`src/${path} must not import ${specifier}`]
    }
    const target = posix.join(posix.dirname(path), specifier)
    const isOwn = path.includes("/") && target.startsWith(`${folder}/`)
    return isOwn || allowsSource(rule, target, isTypeOnly) ? [] : [`src/${path} must not import src/${target}`]
  })
}

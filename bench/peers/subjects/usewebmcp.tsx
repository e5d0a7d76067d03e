import { useMemo } from "react"
import { useWebMCP } from "usewebmcp"
import type { Subject } from "../inPage.tsx"
import { schemaOf } from "../schemaOf.ts"

interface RegisteredTool {
  readonly name: string
  execute(args: unknown): Promise<{ content: readonly { text: string }[] }>
}

const tools = new Map<string, RegisteredTool>()
let notices = 0
// The browser's side, which does nothing but keep what it is given.
Object.defineProperty(document, "modelContext", {
  configurable: true,
  value: {
    registerTool(tool: RegisteredTool, { signal }: { signal: AbortSignal }) {
      notices++
      tools.set(tool.name, tool)
      signal.addEventListener("abort", () => {
        notices++
        tools.delete(tool.name)
      })
    },
  },
})

globalThis.subject = {
  Root: ({ children }) => children,
  Inline({ name, description, value }) {
    useWebMCP({
      name,
      description,
      inputSchema: schemaOf(name),
      execute: () => String(value),
    })
    return null
  },
  Stable({ name, description }) {
    const inputSchema = useMemo(() => schemaOf(name), [name])
    useWebMCP({ name, description, inputSchema, execute: () => "0" })
    return null
  },
  notices: () => notices,
  call: async (name) => (await tools.get(name)?.execute({ [name]: "milk" }))?.content[0]?.text,
  settle: () => new Promise((resolve) => setTimeout(resolve)),
} satisfies Subject

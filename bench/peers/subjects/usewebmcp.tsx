import { useMemo } from "react"
import { useWebMCP } from "usewebmcp"
import { z } from "zod"
import type { Subject } from "../inPage.tsx"

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
      inputSchema: z.object({ title: z.string().min(1), done: z.boolean().default(false) }),
      execute: () => String(value),
    })
    return null
  },
  Stable({ name, description }) {
    const inputSchema = useMemo(() => z.object({ title: z.string().min(1), done: z.boolean().default(false) }), [])
    useWebMCP({ name, description, inputSchema, execute: () => "0" })
    return null
  },
  notices: () => notices,
  call: async (name) => (await tools.get(name)?.execute({ title: "milk" }))?.content[0]?.text,
  settle: () => new Promise((resolve) => setTimeout(resolve)),
} satisfies Subject

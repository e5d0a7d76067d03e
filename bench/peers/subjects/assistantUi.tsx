import { AssistantRuntimeProvider, useAssistantTool, useAui, useLocalRuntime } from "@assistant-ui/react"
import { useEffect, useMemo } from "react"
import type { Subject } from "../inPage.tsx"
import { schemaOf } from "../schemaOf.ts"

interface ModelContext {
  getModelContext(): { tools?: Record<string, { execute?: (args: unknown, context: unknown) => unknown }> }
  subscribe(listener: () => void): () => void
}

let notices = 0
let modelContext: ModelContext | undefined

/** Listens as a runtime does: each notification is a new set of tools to it. */
function Listener() {
  const aui = useAui() as unknown as { modelContext: ModelContext | (() => ModelContext) }
  useEffect(() => {
    const context = typeof aui.modelContext === "function" ? aui.modelContext() : aui.modelContext
    modelContext = context
    return context.subscribe?.(() => void notices++)
  }, [aui])
  return null
}

const adapter = { run: () => Promise.resolve({ content: [] }) }

globalThis.subject = {
  Root({ children }) {
    return (
      <AssistantRuntimeProvider runtime={useLocalRuntime(adapter as never)}>
        <Listener />
        {children}
      </AssistantRuntimeProvider>
    )
  },
  Inline({ name, description, value }) {
    useAssistantTool({
      toolName: name,
      type: "frontend",
      description,
      parameters: schemaOf(name),
      execute: () => Promise.resolve(String(value)),
    })
    return null
  },
  Stable({ name, description }) {
    const tool = useMemo(
      () => ({
        toolName: name,
        type: "frontend" as const,
        description,
        parameters: schemaOf(name),
        execute: () => Promise.resolve("0"),
      }),
      [name, description],
    )
    useAssistantTool(tool)
    return null
  },
  notices: () => notices,
  call: (name) => Promise.resolve(modelContext?.getModelContext().tools?.[name]?.execute?.({ [name]: "milk" }, {})),
  settle: () => new Promise((resolve) => setTimeout(resolve)),
} satisfies Subject

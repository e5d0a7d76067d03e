import { CopilotKitContext, CopilotKitCoreReact, EMPTY_SET } from "@copilotkit/react-core/v2/context"
import { useFrontendTool } from "@copilotkit/react-core/v2/headless"
import { useMemo } from "react"
import type { Subject } from "../inPage.tsx"
import { schemaOf } from "../schemaOf.ts"

const core = new CopilotKitCoreReact({})
let notices = 0
for (const method of ["addTool", "removeTool"] as const) {
  const original = core[method].bind(core) as (...args: unknown[]) => unknown
  Object.assign(core, {
    [method]: (...args: unknown[]) => {
      notices++
      return original(...args)
    },
  })
}
const context = { copilotkit: core, executingToolCallIds: EMPTY_SET }

globalThis.subject = {
  Root: ({ children }) => <CopilotKitContext.Provider value={context as never}>{children}</CopilotKitContext.Provider>,
  Inline({ name, description, value }) {
    useFrontendTool(
      {
        name,
        description,
        parameters: schemaOf(name),
        handler: () => Promise.resolve(String(value)),
      },
      // As its documents ask: without it the handler and the description stay those of the first render.
      [value, description],
    )
    return null
  },
  Stable({ name, description }) {
    const parameters = useMemo(() => schemaOf(name), [name])
    useFrontendTool({ name, description, parameters, handler: () => Promise.resolve("0") }, [description])
    return null
  },
  notices: () => notices,
  call: (name) => Promise.resolve(core.getTool({ toolName: name })?.handler?.({ [name]: "milk" } as never, {} as never)),
  settle: () => new Promise((resolve) => setTimeout(resolve)),
} satisfies Subject

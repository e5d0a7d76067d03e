import { ConversationProvider, useConversationClientTool, useRawConversation } from "@elevenlabs/react"
import { useMemo } from "react"
import type { Subject } from "../inPage.tsx"
import { schemaOf } from "../schemaOf.ts"

const handlers = new Map<string, (args: unknown) => unknown>()
let notices = 0
// Its registry is a Map that only a conversation reads: seen by what goes into it.
const { set, delete: remove } = Map.prototype
const isTool = (key: unknown): key is string => typeof key === "string" && key.startsWith("tool_")
Map.prototype.set = function (key, value) {
  if (isTool(key) && this !== handlers) {
    notices++
    set.call(handlers, key, value)
  }
  return set.call(this, key, value) as never
}
Map.prototype.delete = function (key) {
  if (isTool(key) && this !== handlers) notices++
  return remove.call(this, key)
}
void useRawConversation

globalThis.subject = {
  Root: ({ children }) => <ConversationProvider>{children}</ConversationProvider>,
  // Its schemas stand in a dashboard; the component builds one all the same, as every other here does.
  Inline({ name, value }) {
    schemaOf(name)
    useConversationClientTool(name, () => String(value))
    return null
  },
  Stable({ name }) {
    useMemo(() => schemaOf(name), [name])
    useConversationClientTool(name, () => "0")
    return null
  },
  notices: () => notices,
  call: (name) => Promise.resolve(handlers.get(name)?.({ [name]: "milk" })),
  settle: () => new Promise((resolve) => setTimeout(resolve)),
} satisfies Subject

// No library: what the components cost that only build the schemas and the handlers.
import { useMemo } from "react"
import type { Subject } from "../inPage.tsx"
import { schemaOf } from "../schemaOf.ts"

const keep: unknown[] = []

globalThis.subject = {
  Root: ({ children }) => children,
  Inline({ name, description, value }) {
    keep[0] = { description, schema: schemaOf(name), execute: () => value }
    return null
  },
  Stable({ name, description }) {
    keep[0] = useMemo(() => ({ description, schema: schemaOf(name), execute: () => 0 }), [name, description])
    return null
  },
  notices: () => 0,
  call: () => Promise.resolve(undefined),
  settle: () => Promise.resolve(),
} satisfies Subject

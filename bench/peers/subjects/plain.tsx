// No library: what the components cost that only build the schemas and the handlers.
import { useMemo } from "react"
import { z } from "zod"
import type { Subject } from "../inPage.tsx"

const keep: unknown[] = []

globalThis.subject = {
  Root: ({ children }) => children,
  Inline({ description, value }) {
    keep[0] = { description, schema: z.object({ title: z.string().min(1), done: z.boolean().default(false) }), execute: () => value }
    return null
  },
  Stable({ description }) {
    keep[0] = useMemo(() => ({ description, schema: z.object({ title: z.string().min(1), done: z.boolean().default(false) }), execute: () => 0 }), [description])
    return null
  },
  notices: () => 0,
  call: () => Promise.resolve(undefined),
  settle: () => Promise.resolve(),
} satisfies Subject

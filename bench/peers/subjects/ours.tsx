import { useMemo } from "react"
import { SessionProvider, useSession, useTool, useToolClient, type ToolClient } from "react-tool-client"
import { createTestSession } from "react-tool-client/testing"
import { createContext, useContext } from "react"
import { z } from "zod"
import type { Subject } from "../inPage.tsx"

const session = createTestSession()
const Page = createContext<ToolClient | null>(null)

function Client({ children }: { readonly children: React.ReactNode }) {
  const page = useToolClient(useSession("bench"), "web")
  return <Page value={page}>{children}</Page>
}

globalThis.subject = {
  Root: ({ children }) => (
    <SessionProvider client={session.client}>
      <Client>{children}</Client>
    </SessionProvider>
  ),
  Inline({ name, description, value }) {
    useTool(useContext(Page), name, {
      description,
      schema: z.object({ title: z.string().min(1), done: z.boolean().default(false) }),
      execute: () => String(value),
    })
    return null
  },
  Stable({ name, description }) {
    const tool = useMemo(
      () => ({ description, schema: z.object({ title: z.string().min(1), done: z.boolean().default(false) }), execute: () => "0" }),
      [description],
    )
    useTool(useContext(Page), name, tool)
    return null
  },
  notices: () => session.requests("register").length + session.requests("update").length,
  call: async (name) => (await session.callTool(name, { title: "milk" })).text,
  settle: () => session.settle(),
} satisfies Subject

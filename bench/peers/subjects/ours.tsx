import { useMemo } from "react"
import { SessionProvider, useSession, useTool, useToolClient, type ToolClient } from "react-tool-client"
import { createTestSession } from "react-tool-client/testing"
import { createContext, useContext } from "react"
import type { Subject } from "../inPage.tsx"
import { schemaOf } from "../schemaOf.ts"

const session = createTestSession()
const Page = createContext<ToolClient | null>(null)

/** A server takes 128 tools of one client. */
const TOOLS_PER_CLIENT = 100

function Client({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  const page = useToolClient(useSession("bench"), name)
  return <Page value={page}>{children}</Page>
}

function Clients({ tools }: { readonly tools: readonly React.ReactNode[] }) {
  return Array.from({ length: Math.ceil(tools.length / TOOLS_PER_CLIENT) }, (_, index) => (
    <Client key={index} name={`web_${index}x`}>
      {tools.slice(index * TOOLS_PER_CLIENT, (index + 1) * TOOLS_PER_CLIENT)}
    </Client>
  ))
}

globalThis.subject = {
  Root: ({ children }) => (
    <SessionProvider client={session.client}>
      <Clients tools={children as React.ReactNode[]} />
    </SessionProvider>
  ),
  Inline({ name, description, value }) {
    useTool(useContext(Page), name, {
      description,
      schema: schemaOf(name),
      execute: () => String(value),
    })
    return null
  },
  Stable({ name, description }) {
    const tool = useMemo(
      () => ({ description, schema: schemaOf(name), execute: () => "0" }),
      [name, description],
    )
    useTool(useContext(Page), name, tool)
    return null
  },
  notices: () => session.requests("register").length + session.requests("update").length,
  call: async (name) => (await session.callTool(name, { [name]: "milk" })).text,
  settle: () => session.settle(),
} satisfies Subject

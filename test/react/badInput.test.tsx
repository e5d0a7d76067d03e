// What code without types may give the hooks: named where it is rendered, or left out and told.
import { useSession, useSessionState, useTool, useToolCalls, useToolClient, useToolContext, useTools } from "react-tool-client"
import { createTestSession } from "react-tool-client/testing"
import { Component, type ReactNode } from "react"
import { expect, it, vi } from "vitest"
import { useWeb, Web } from "./support/components.tsx"
import { mount } from "./support/mount.tsx"
import { publishedNames } from "./support/requests.ts"

const tool = { description: "Does it.", parameters: {}, execute: () => "done" }

class Boundary extends Component<{ readonly children: ReactNode }, { readonly error?: Error }> {
  override state: { readonly error?: Error } = {}
  static getDerivedStateFromError(error: Error) {
    return { error }
  }
  override render() {
    return this.state.error ? this.state.error.message : this.props.children
  }
}

it.each<[message: string, use: () => unknown]>([
  ["useTool needs a tool client, or null", () => useTool(5 as never, "a", tool)],
  ["useTool needs a tool client, or null", () => useTool(createTestSession() as never, "a", tool)],
  ["useTool needs a tool client, or null", () => useTool(false as never, "a", tool)],
  ["useTools needs a tool client, or null", () => useTools({} as never, {})],
  ["useTools: tools must be a list or an object, not null", () => useTools(null, null as never)],
  ["useTools: tools must be a list or an object, not undefined", () => useTools(null, undefined as never)],
  ["useToolClient needs a session, or null", () => useToolClient({ open() {} } as never, "web")],
  ["This hook needs a session or a tool client, or null", () => useToolCalls("web" as never)],
  ["This hook needs a session or a tool client, or null", () => useSessionState({} as never)],
  ["useSession needs a <SessionProvider client={...}> above it.", () => useSession("s")],
])("throws in render: %s", async (message, use) => {
  vi.spyOn(console, "error").mockImplementation(() => {})
  function Uses() {
    use()
    return "rendered"
  }
  const page = await mount(
    <Boundary>
      <Uses />
    </Boundary>,
  )
  expect(page.container.textContent).toBe(message)
})

it("a definition that is none is left out and told, by whichever hook, and takes no other along", async () => {
  const session = createTestSession()
  const onError = vi.fn()
  function Offers() {
    const web = useWeb()
    useTool(web, "none", null as never)
    useTool(web, "number", 5 as never)
    useTool(web, 5 as never, tool)
    useToolContext(web, "context", null as never)
    useToolContext(web, "unread", { description: "Reads nothing." } as never)
    useTools(web, [null as never, { name: "sound", ...tool }])
    return null
  }
  await mount(
    <Web session={session} options={{ onError }}>
      <Offers />
    </Web>,
  )
  await session.settle()
  expect(publishedNames(session)).toEqual(["sound"])
  expect(onError.mock.calls.map(([error]) => (error as { tool: string }).tool).sort()).toEqual(["5", "context", "none", "number", "undefined", "unread"])
})

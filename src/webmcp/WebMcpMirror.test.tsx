import { cleanup, render } from "@testing-library/react"
import { renderToString } from "react-dom/server"
import { type ToolClient, useTool, useToolClient } from "react-tool-client"
import { afterEach, describe, expect, it, vi } from "vitest"
import { createLocalSession } from "./createLocalSession.ts"
import { findModelContext, type ModelContext, type ModelContextTool } from "./modelContext.ts"
import { WebMcpMirror } from "./WebMcpMirror.tsx"

const NO_ARGUMENTS = { type: "object", properties: {} } as const

function Page({ onError }: { readonly onError?: (error: unknown) => void }) {
  const page: ToolClient = useToolClient(createLocalSession(), "web")
  useTool(page, "say", { description: "Say.", parameters: NO_ARGUMENTS, execute: () => "said" })
  return <WebMcpMirror client={page} onError={onError} />
}

const setContext = (modelContext: unknown): void => void Object.defineProperty(document, "modelContext", { value: modelContext, configurable: true })

afterEach(() => {
  cleanup()
  delete (document as { modelContext?: unknown }).modelContext
})

describe("a mirror", () => {
  it("renders nothing, on a server too", () => {
    expect(renderToString(<Page />)).toBe("")
    expect(render(<Page />).container.innerHTML).toBe("")
  })

  it.each([undefined, null, {}, { registerTool: "another thing" }])("finds no agent in a document whose modelContext is %j", (modelContext) => {
    setContext(modelContext)
    expect(findModelContext()).toBeUndefined()
  })

  /** Of a browser that is older, or odd. */
  function contextOf(registerTool: ModelContext["registerTool"]): ModelContext {
    return { registerTool, addEventListener() {}, removeEventListener() {} }
  }

  it("works where registerTool returns nothing and gives a call no signal, as it was before", async () => {
    const registered: ModelContextTool[] = []
    setContext(contextOf((tool) => void registered.push(tool)))
    const session = createLocalSession()
    const client = session.createToolClient("web")
    client.addTool("say", { description: "Say.", parameters: NO_ARGUMENTS, execute: () => "said" })
    render(<WebMcpMirror client={client} />)
    await vi.waitFor(() => expect(registered.map(({ name }) => name)).toEqual(["say"]))
    expect(await registered[0]?.execute(undefined)).toEqual({ content: [{ type: "text", text: "said" }] })
    await session.deleteToolClient(client)
    expect(await registered[0]?.execute({})).toMatchObject({ isError: true })
  })

  it("reports what registerTool throws at once, and goes on", async () => {
    const onError = vi.fn()
    setContext(
      contextOf(() => {
        throw new TypeError("Not today.")
      }),
    )
    render(<Page onError={onError} />)
    await vi.waitFor(() => expect(onError.mock.calls).toMatchObject([[{ code: "refused", tool: "say", message: expect.stringContaining("Not today.") }]]))
  })
})

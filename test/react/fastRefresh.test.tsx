// A developer saves a file: React's Fast Refresh swaps the components of the running page.
import { load, save } from "./support/fastRefresh.ts"
import { useState } from "react"
import { useTool, useToolClient, useTools } from "react-tool-client"
import { createTestSession, type TestSession } from "react-tool-client/testing"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { Offer, useWeb, Web } from "./support/components.tsx"
import { consoleSaid } from "./support/console.ts"
import { publishedNames, sent } from "./support/requests.ts"

const { mount, MODES } = await import("./support/mount.tsx")

let session: TestSession
beforeEach(() => {
  session = createTestSession()
})

const text = async (name: string): Promise<string> => (await session.callTool(name)).text

describe.each(MODES)("Fast Refresh$mode", ({ strict }) => {
  it.each([
    ["keeps the state", false, "after 1"],
    ["mounts anew", true, "after 0"],
  ])("that %s sends nothing, and the new handler answers", async (_how, isRemounted, expected) => {
    const id = `Page ${expected} ${strict}`
    const [Before, After] = pages()
    load(id, Before)
    await mount(<Before session={session} />, { strict })
    await session.settle()
    expect(await text("step")).toBe("before 0")
    await save(id, Before, After, isRemounted)
    await vi.waitFor(async () => expect(await text("tell")).toBe(expected))
    await session.settle()
    expect(publishedNames(session)).toEqual(["many", "step", "tell"])
    expect(await text("many")).toBe("after")
    expect(sent(session)).toBe("P")
  })

  it("of the lower of two owners of a name leaves the upper serving", async () => {
    const id = `Lower ${strict}`
    const [Before, After] = lowers()
    load(id, Before)
    await mount(
      <Web session={session}>
        <Before />
        <Offer name="search" says="upper" />
      </Web>,
      { strict },
    )
    await session.settle()
    expect(await text("search")).toBe("upper")
    await save(id, Before, After)
    await vi.waitFor(async () => expect(await text("version")).toBe("after"))
    expect(await text("search")).toBe("upper")
    expect(sent(session)).toBe("P")
    consoleSaid()
  })
})

/** Fresh ones: a component that was refreshed once is known to the runtime. */
function pages() {
  function Before({ session: known }: { readonly session: TestSession }) {
    const client = useToolClient(known, "web")
    const [count, setCount] = useState(0)
    useTool(client, "step", { description: "Steps.", parameters: {}, execute: () => (setCount(count + 1), `before ${count}`) })
    useTool(client, "tell", { description: "Tells.", parameters: {}, execute: () => `before ${count}` })
    useTools(client, [{ name: "many", description: "Many.", parameters: {}, execute: () => "before" }])
    return null
  }
  function After({ session: known }: { readonly session: TestSession }) {
    const client = useToolClient(known, "web")
    const [count, setCount] = useState(0)
    useTool(client, "step", { description: "Steps.", parameters: {}, execute: () => (setCount(count + 1), `after ${count}`) })
    useTool(client, "tell", { description: "Tells.", parameters: {}, execute: () => `after ${count}` })
    useTools(client, [{ name: "many", description: "Many.", parameters: {}, execute: () => "after" }])
    return null
  }
  return [Before, After] as const
}

function lowers() {
  function Before() {
    const client = useWeb()
    useTool(client, "search", { description: "Does search.", parameters: {}, execute: () => "lower" })
    useTool(client, "version", { description: "Version.", parameters: {}, execute: () => "before" })
    return null
  }
  function After() {
    const client = useWeb()
    useTool(client, "search", { description: "Does search.", parameters: {}, execute: () => "lower again" })
    useTool(client, "version", { description: "Version.", parameters: {}, execute: () => "after" })
    return null
  }
  return [Before, After] as const
}

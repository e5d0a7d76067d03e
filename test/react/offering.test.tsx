// What is offered and when: clients that are not known yet, tools that are switched off, sets that change, context, status.
import type { ReactNode } from "react"
import {
  type AnyTool,
  pageTool,
  type ToolClient,
  type ToolContextDefinition,
  useSessionState,
  useTool,
  useToolCalls,
  useToolClientState,
  useToolContext,
  useTools,
  useToolStatus,
} from "react-tool-client"
import { createTestSession, type TestSession } from "react-tool-client/testing"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { z } from "zod"
import { Offer, Status, useWeb, Web } from "./support/components.tsx"
import { consoleSaid } from "./support/console.ts"
import { deferred } from "./support/deferred.ts"
import { mount, MODES } from "./support/mount.tsx"
import { publishedNames, sent, toldSets } from "./support/requests.ts"

let session: TestSession
beforeEach(() => {
  session = createTestSession()
})

describe.each(MODES)("what is not known yet$mode", ({ strict }) => {
  it.each([null, undefined])("may be a client that is %s", async (client) => {
    const page = await mount(<Everything client={client} />, { strict })
    await session.settle()
    expect(page.container.textContent).toBe("joining 0 off")
    expect(sent(session)).toBe("")
  })

  it.each([null, undefined])("may be a session that is %s", async (missing) => {
    const tree = (known: TestSession | null | undefined) => (
      <Web session={known}>
        <Everything />
        <SessionStatus session={known} />
      </Web>
    )
    const page = await mount(tree(missing), { strict })
    await session.settle()
    expect(page.container.textContent).toBe("joining 0 pending connecting")
    await page.render(tree(session))
    await session.settle()
    expect(page.container.textContent).toBe("serving 0 live open")
    expect(toldSets(session)).toEqual([["a", "b", "c"]])
    await page.render(tree(missing))
    await session.settle()
    expect(page.container.textContent).toBe("joining 0 pending connecting")
    expect(sent(session)).toBe("P D")
  })

  it("may be the stream: clients register when it opens", async () => {
    session = createTestSession({ isOpen: false })
    const page = await mount(
      <Web session={session}>
        <Everything />
        <SessionStatus session={session} />
      </Web>,
      { strict },
    )
    await session.settle()
    expect(page.container.textContent).toBe("joining 0 pending connecting")
    session.open()
    await session.settle()
    expect(page.container.textContent).toBe("serving 0 live open")
    expect(sent(session)).toBe("P")
  })
})

describe.each(MODES)("a tool with `enabled: false`$mode", ({ strict }) => {
  const tree = (enabled: boolean | undefined) => (
    <Web session={session}>
      <Offer name="kept" />
      <Offer name="a" {...(enabled !== undefined && { enabled })} />
    </Web>
  )

  it("is not offered, and is offered again when it is enabled", async () => {
    const page = await mount(tree(false), { strict })
    await session.settle()
    expect(publishedNames(session)).toEqual(["kept"])
    await page.render(tree(true))
    await session.settle()
    await page.render(tree(undefined))
    await session.settle()
    expect(publishedNames(session)).toEqual(["a", "kept"])
    expect(sent(session)).toBe("P U")
    await page.render(tree(false))
    await session.settle()
    expect(publishedNames(session)).toEqual(["kept"])
  })

  it("answers a late call with an error that says so", async () => {
    const page = await mount(tree(true), { strict })
    await session.settle()
    await page.render(tree(false))
    const answer = await session.callTool("a", {}, { client: "web" })
    expect(answer).toMatchObject({ is_error: true, text: expect.stringContaining("switched off") as unknown })
    expect(answer.phases).toEqual(["acked", "answered"])
  })

  it("lets a call that already runs answer", async () => {
    const later = deferred()
    const slow = (enabled: boolean) => (
      <Web session={session}>
        <Slow until={later.promise} enabled={enabled} />
      </Web>
    )
    const page = await mount(slow(true), { strict })
    await session.settle()
    const answer = session.callTool("slow")
    await session.settle()
    await page.render(slow(false))
    later.resolve()
    expect((await answer).text).toBe("done")
  })
})

describe.each(MODES)("useTools$mode", ({ strict }) => {
  const tree = (tools: Readonly<Record<string, AnyTool>>) => (
    <Web session={session}>
      <Many tools={tools} />
    </Web>
  )

  it("sends the difference only, as one update a commit", async () => {
    const page = await mount(tree({ kept: says("1"), changed: says("1"), removed: says("1") }), { strict })
    await session.settle()
    await page.render(tree({ added: says("2"), changed: says("2", "Says it otherwise."), kept: says("2") }))
    await session.settle()
    expect(toldSets(session)).toEqual([
      ["changed", "kept", "removed"],
      ["added", "changed", "kept"],
    ])
    for (const name of ["added", "changed", "kept"]) expect((await session.callTool(name)).text).toBe("2")
    expect(session.published().find(({ name }) => name === "changed")?.description).toBe("Says it otherwise.")
    await page.render(tree({}))
    await session.settle()
    expect(session.published()).toEqual([])
    await page.render(tree({ kept: says("3") }))
    await session.settle()
    expect((await session.callTool("kept")).text).toBe("3")
    expect(sent(session)).toBe("P U U U")
  })

  it("sends an update when nothing but one definition changes", async () => {
    const page = await mount(tree({ kept: says("1"), changed: says("1") }), { strict })
    await session.settle()
    await page.render(tree({ kept: says("2"), changed: says("2", "Says it otherwise.") }))
    await session.settle()
    expect(sent(session)).toBe("P U")
  })

  it("takes a list of tools that carry their names, and an order that changes sends nothing", async () => {
    const list = (...names: string[]) => (
      <Web session={session}>
        <Listed names={names} />
      </Web>
    )
    const page = await mount(list("a", "b", "c"), { strict })
    await session.settle()
    await page.render(list("c", "a", "b"))
    await session.settle()
    expect(sent(session)).toBe("P")
    await page.render(list("c", "d"))
    await session.settle()
    expect(publishedNames(session)).toEqual(["c", "d"])
    expect(sent(session)).toBe("P U")
    expect((await session.callTool("d")).text).toBe("d of 2")
  })

  it("moves its set to another client and back", async () => {
    const both = (client: "first" | "second" | "none") => (
      <Web session={session} name="first">
        <Outer client={client} />
      </Web>
    )
    const page = await mount(both("first"), { strict })
    await session.settle()
    expect(publishedNames(session, "first")).toEqual(["a"])
    await page.render(both("second"))
    await session.settle()
    expect(publishedNames(session, "first")).toEqual([])
    expect(publishedNames(session, "second")).toEqual(["a"])
    await page.render(both("none"))
    await session.settle()
    expect(session.published()).toEqual([])
    await page.render(both("first"))
    await session.settle()
    expect(publishedNames(session, "first")).toEqual(["a"])
    expect(publishedNames(session, "second")).toEqual([])
  })
})

describe.each(MODES)("useToolContext$mode", ({ strict }) => {
  const tree = (definition: ToolContextDefinition) => (
    <Web session={session}>
      <Context definition={definition} />
    </Web>
  )

  it("offers a read-only tool without arguments that reads the last committed render", async () => {
    const page = await mount(tree({ description: "The cart.", title: "Cart", read: () => ({ items: 1 }) }), { strict })
    await session.settle()
    expect(session.published()).toEqual([
      {
        name: "cart",
        title: "Cart",
        description: "The cart.",
        annotations: { readOnlyHint: true },
        parameters: { type: "object", properties: {}, additionalProperties: false },
      },
    ])
    expect((await session.callTool("cart")).text).toBe('{"items":1}')
    await page.render(tree({ description: "The cart.", title: "Cart", read: async () => ["two", "things"] }))
    expect((await session.callTool("cart")).text).toBe('["two","things"]')
    expect(sent(session)).toBe("P")
  })

  it("answers what `read` throws with an error, and shows it to the developer", async () => {
    await mount(tree({ description: "The cart.", read: () => throwError("no cart yet") }), { strict })
    await session.settle()
    expect(await session.callTool("cart")).toMatchObject({ is_error: true, text: expect.stringContaining("no cart yet") as unknown })
    expect(consoleSaid()).toEqual([[expect.stringContaining('the tool "cart" threw'), expect.objectContaining({ message: "no cart yet" })]])
  })

  it("is not offered while it is not enabled", async () => {
    await mount(tree({ description: "The cart.", enabled: false, read: () => null }), { strict })
    await session.settle()
    expect(session.published()).toEqual([])
  })
})

describe.each(MODES)("useToolStatus$mode", ({ strict }) => {
  it("is live from the server's acceptance until it is withdrawn or lost", async () => {
    const release = session.hold()
    const tree = (isOffered: boolean) => (
      <Web session={session} options={{ onError: () => {} }}>
        <Offer name="kept" />
        {isOffered && <Offer name="a" />}
        <ToolStatusOf name="a" />
      </Web>
    )
    const page = await mount(tree(true), { strict })
    await session.settle()
    expect(page.container.textContent).toBe("pending")
    release()
    await session.settle()
    expect(page.container.textContent).toBe("live")
    await page.render(tree(false))
    await session.settle()
    expect(page.container.textContent).toBe("pending")
    session.failNext("update", 503)
    await page.render(tree(true))
    await session.settle()
    expect(page.container.textContent).toBe("pending")
    await session.clock.advance(1_000)
    expect(page.container.textContent).toBe("live")
    session.forgetAll()
    const releaseAgain = session.hold()
    void session.clock.advance(30_000)
    await session.settle()
    await session.settle()
    releaseAgain()
    await session.settle()
    await session.settle()
    expect(page.container.textContent).toBe("live")
  })

  it("is off where the client failed or has left", async () => {
    session.failNext("register", 403)
    const page = await mount(
      <Web session={session}>
        <Offer name="a" />
        <ToolStatusOf name="a" />
      </Web>,
      { strict },
    )
    await session.settle()
    expect(page.container.textContent).toBe("off")
    await session.close()
    expect(page.container.textContent).toBe("off")
    // That the client was deleted under its component.
    consoleSaid()
  })

  it("is off for a client that is not known", async () => {
    const page = await mount(<ToolStatusOf name="a" />, { strict })
    expect(page.container.textContent).toBe("off")
  })
})

describe("addTool of a client from useToolClient", () => {
  it("offers beside the hooks, whatever session comes and goes, and throws for a bad definition where there is one", async () => {
    const other = createTestSession({ id: "other" })
    const tree = (known: TestSession | null) => (
      <Web session={known}>
        <Offer name="hook" />
        <Grab />
        <Status />
      </Web>
    )
    const page = await mount(tree(null))
    grabbed?.addTool("added", { description: "Added.", parameters: {}, execute: () => "added ran" })
    await page.render(tree(session))
    expect(() => grabbed?.addTool("bad", { description: "", parameters: {}, execute: () => "" })).toThrow("bad")
    await session.settle()
    expect(toldSets(session)).toEqual([["added", "hook"]])
    await page.render(tree(other))
    await other.settle()
    expect(toldSets(other)).toEqual([["added", "hook"]])
    expect((await other.callTool("added")).text).toBe("added ran")
    grabbed?.removeTool("added")
    await other.settle()
    expect(publishedNames(other)).toEqual(["hook"])
  })

  it("tells onError of a bad definition that came without a session, once there is one, and leaves it out", async () => {
    const onError = vi.fn()
    const tree = (known: TestSession | null) => (
      <Web session={known} options={{ onError }}>
        <Offer name="hook" />
        <Grab />
      </Web>
    )
    const page = await mount(tree(null))
    grabbed?.addTool("bad", { description: "", parameters: {}, execute: () => "" })
    expect(onError).not.toHaveBeenCalled()
    await page.render(tree(session))
    await session.settle()
    expect(onError.mock.calls).toMatchObject([[{ name: "ToolDefinitionError", code: "no_description", tool: "bad" }]])
    expect(toldSets(session)).toEqual([["hook"]])
  })
})

const says = (text: string, description = "Says it."): AnyTool => pageTool({ description, parameters: {}, execute: () => text })

function throwError(message: string): never {
  throw new Error(message)
}

/** One component with all that takes a client. */
function Everything({ client: given }: { readonly client?: ToolClient | null | undefined }) {
  const web = useWeb()
  const client = given ?? web
  useTool(client, "a", { description: "Does a.", schema: z.object({}), execute: () => "a" })
  useTools(client, { b: says("b") })
  useToolContext(client, "c", { description: "Is c.", read: () => "c" })
  const status = useToolClientState(client, (state) => state.status)
  const calls = useToolCalls(client)
  const tool = useToolStatus(client, "a")
  return `${status} ${calls.length} ${tool}`
}

function SessionStatus({ session: known }: { readonly session: TestSession | null | undefined }) {
  return ` ${useSessionState(known, (state) => state.status)}`
}

function Slow({ until, enabled }: { readonly until: Promise<void>; readonly enabled: boolean }) {
  useTool(useWeb(), "slow", {
    description: "Is slow.",
    parameters: {},
    enabled,
    execute: async () => {
      await until
      return "done"
    },
  })
  return null
}

function Many({ tools }: { readonly tools: Readonly<Record<string, AnyTool>> }) {
  useTools(useWeb(), tools)
  return null
}

function Listed({ names }: { readonly names: readonly string[] }) {
  const tools = names.map((name) => ({ name, ...says(`${name} of ${names.length}`, `Does ${name}.`) }))
  useTools(useWeb(), tools)
  return null
}

function Outer({ client }: { readonly client: "first" | "second" | "none" }) {
  const first = useWeb()
  return (
    <Web session={sessionOf()} name="second">
      <Inner first={first} client={client} />
    </Web>
  )
}

const sessionOf = (): TestSession => session

function Inner({ first, client }: { readonly first: ToolClient | null; readonly client: "first" | "second" | "none" }) {
  const second = useWeb()
  useTools(client === "first" ? first : client === "second" ? second : null, { a: says("a") })
  return null
}

function Context({ definition }: { readonly definition: ToolContextDefinition }) {
  useToolContext(useWeb(), "cart", definition)
  return null
}

function ToolStatusOf({ name }: { readonly name: string }): ReactNode {
  return useToolStatus(useWeb(), name)
}

let grabbed: ToolClient | null = null

function Grab() {
  const client = useWeb()
  useTool(client, "grab", { description: "Grabs.", parameters: {}, enabled: false, execute: () => "" })
  onGrab(client)
  return null
}

function onGrab(client: ToolClient | null): void {
  grabbed = client
}

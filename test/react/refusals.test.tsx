// What cannot be declared reaches a handler, once, and never throws out of a render or an effect.
import { type AnyTool, ToolDefinitionError, type ToolDefinitionErrorCode, useTool, useTools, SessionProvider } from "react-tool-client"
import { createTestSession, type TestSession } from "react-tool-client/testing"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { z } from "zod"
import { Offer, Ready, Status, useWeb, Web } from "./support/components.tsx"
import { consoleSaid } from "./support/console.ts"
import { mount, MODES } from "./support/mount.tsx"
import { publishedNames, sent } from "./support/requests.ts"

let session: TestSession
beforeEach(() => {
  session = createTestSession()
})

const execute = (): string => "ran"
const description = "Does something."
const schema = z.object({})

/** A fresh object at each render, as one that is written inline. */
type Definition = () => Record<string, unknown>

const REFUSED: readonly [code: ToolDefinitionErrorCode, name: string, definition: Definition][] = [
  ["invalid_name", "not a name", () => ({ description, schema, execute })],
  ["name_too_long", "x".repeat(60), () => ({ description, schema, execute })],
  ["no_description", "bad", () => ({ description: " ", schema, execute })],
  ["schema_and_parse", "bad", () => ({ description, schema, parse: (args: unknown) => args, execute })],
  ["no_parameters", "bad", () => ({ description, execute })],
  ["invalid_schema", "bad", () => ({ description, schema: { type: "object" }, execute })],
  ["schema_not_describable", "bad", () => ({ description, schema: { "~standard": { ...schema["~standard"], jsonSchema: undefined } }, execute })],
  ["unrepresentable", "bad", () => ({ description, schema: z.object({ at: z.date() }), execute })],
  ["not_json", "bad", () => ({ description, parameters: { type: "object", default: 1n }, execute })],
  ["root_not_object", "bad", () => ({ description, schema: z.string(), execute })],
  ["invalid_option", "bad", () => ({ description, schema, timeout: -1, execute })],
]

function Declares({ name, definition }: { readonly name: string; readonly definition: Definition }) {
  useTool(useWeb(), name, definition() as never)
  return null
}

function DeclaresMany({ name, definition }: { readonly name: string; readonly definition: Definition }) {
  useTools(useWeb(), { [name]: definition() as unknown as AnyTool })
  return null
}

/** What a server takes of one client where it is not told otherwise. */
const MOST = 128

function DeclaresAll({ names, count }: { readonly names: readonly string[]; readonly count: number }) {
  useTools(useWeb(), Object.fromEntries(names.map((name) => [name, { description, parameters: {}, execute: () => `render ${count}` }])))
  return null
}

describe.each(MODES)("a refused definition$mode", ({ strict }) => {
  describe.each([
    ["useTool", Declares],
    ["useTools", DeclaresMany],
  ])("of %s", (_hook, Component) => {
    it.each(REFUSED)("(%s) is told once by name and code and left out, and the others are published", async (code, name, definition) => {
      const onError = vi.fn()
      const tree = (isFixed: boolean, count: number) => (
        <Web session={session} options={{ onError }}>
          <Offer name="good" says={`render ${count}`} />
          <Component name={isFixed ? "fixed" : name} definition={isFixed ? FIXED : () => definition()} />
        </Web>
      )
      const page = await mount(tree(false, 0), { strict })
      await session.settle()
      for (let count = 1; count <= 5; count++) await page.render(tree(false, count))
      await session.settle()
      expect(onError).toHaveBeenCalledTimes(1)
      expect(onError.mock.calls[0]?.[0]).toBeInstanceOf(ToolDefinitionError)
      expect(onError.mock.calls[0]?.[0]).toMatchObject({ code, tool: name })
      expect(publishedNames(session)).toEqual(["good"])
      expect((await session.callTool("good")).text).toBe("render 5")
      await page.render(tree(true, 6))
      await session.settle()
      expect(publishedNames(session)).toEqual(["fixed", "good"])
      expect(sent(session)).toBe("P U")
      expect(onError).toHaveBeenCalledTimes(1)
    })
  })

  it("is withdrawn when it was published before, and told again after it was sound in between", async () => {
    const onError = vi.fn()
    const tree = (text: string) => (
      <Web session={session} options={{ onError }}>
        <Offer name="a" description={text} />
      </Web>
    )
    const page = await mount(tree("Sound."), { strict })
    await session.settle()
    for (const text of [" ", "Sound.", " "]) {
      await page.render(tree(text))
      await session.settle()
      expect(publishedNames(session)).toEqual(text === " " ? [] : ["a"])
    }
    expect(onError).toHaveBeenCalledTimes(2)
  })

  it("of more tools than a client may have leaves out the last ones, tells each once, and takes it in when there is room", async () => {
    const onError = vi.fn()
    const names = Array.from({ length: MOST + 2 }, (_, index) => `tool_${String(MOST + 2 - index).padStart(3, "0")}`)
    const tree = (shown: readonly string[], count: number) => (
      <Web session={session} options={{ onError }}>
        <DeclaresAll names={shown} count={count} />
      </Web>
    )
    const page = await mount(tree(names, 0), { strict })
    await session.settle()
    for (let count = 1; count <= 3; count++) await page.render(tree(names, count))
    await session.settle()
    const told = names.slice(MOST)
    expect(onError.mock.calls.map(([error]) => [(error as ToolDefinitionError).code, (error as ToolDefinitionError).tool])).toEqual(told.map((name) => ["too_many_tools", name]))
    expect(publishedNames(session)).toEqual(names.slice(0, MOST).sort())
    expect(sent(session)).toBe("P")
    expect((await session.callTool(names[0] ?? "")).text).toBe("render 3")
    await page.render(tree(names.slice(1), 4))
    await session.settle()
    expect(publishedNames(session)).toEqual(names.slice(1, MOST + 1).sort())
    expect(onError).toHaveBeenCalledTimes(2)
  })

  it("goes to the provider's last committed handler where the client has none", async () => {
    const first = vi.fn()
    const second = vi.fn()
    const tree = (onError: (error: unknown) => void, text: string) => (
      <SessionProvider client={session.client} onError={onError}>
        <Web session={session}>
          <Offer name="a" description={text} />
        </Web>
      </SessionProvider>
    )
    const page = await mount(tree(first, "Sound."), { strict })
    await session.settle()
    await page.render(tree(second, ""))
    await session.settle()
    expect(first).not.toHaveBeenCalled()
    expect(second).toHaveBeenCalledTimes(1)
    expect(second.mock.calls[0]?.[0]).toMatchObject({ code: "no_description", tool: "a" })
  })

  it("goes to the client's last committed handler, not to the provider's", async () => {
    const [provider, first, second] = [vi.fn(), vi.fn(), vi.fn()]
    const tree = (onError: (error: unknown) => void, text: string) => (
      <SessionProvider client={session.client} onError={provider}>
        <Web session={session} options={{ onError }}>
          <Offer name="a" description={text} />
        </Web>
      </SessionProvider>
    )
    const page = await mount(tree(first, "Sound."), { strict })
    await session.settle()
    await page.render(tree(second, ""))
    await session.settle()
    expect(second).toHaveBeenCalledTimes(1)
    expect(first).not.toHaveBeenCalled()
    expect(provider).not.toHaveBeenCalled()
  })

  it("goes to console.error where there is no handler, and to it with what a handler throws", async () => {
    await mount(
      <>
        <Web session={session}>
          <Offer name="a" description="" />
        </Web>
        <Web session={session} name="panel" options={{ onError: throws }}>
          <Offer name="b" description="" />
        </Web>
      </>,
      { strict },
    )
    await session.settle()
    expect(consoleSaid()).toEqual([expect.objectContaining({ tool: "a" }), new Error("thrown by onError")])
  })
})

describe.each(MODES)("a tool client that cannot be$mode", ({ strict }) => {
  const cases: readonly [what: string, name: string, options: object, error: object][] = [
    ["for its name", "not__a_name", {}, { code: "invalid_name", tool: "" }],
    ["for its empty name", "", {}, { code: "invalid_name", tool: "" }],
    ["for its lifetime", "web", { lifetime: { type: "ttl", data: { seconds: 0 } } }, { name: "RangeError" }],
  ]
  it.each(cases)("%s is told once, is failed, and serves when it is mended", async (_what, name, options, error) => {
    const onError = vi.fn()
    const tree = (isMended: boolean, count: number) => (
      <Web session={session} name={isMended ? "mended" : name} options={{ ...(isMended ? {} : options), onError }}>
        <Offer name="a" says={`render ${count}`} />
        <Status />
      </Web>
    )
    const page = await mount(tree(false, 0), { strict })
    for (let count = 1; count <= 5; count++) await page.render(tree(false, count))
    await session.settle()
    expect(onError).toHaveBeenCalledTimes(1)
    expect(onError.mock.calls[0]?.[0]).toMatchObject(error)
    expect(page.container.textContent).toBe("failed")
    expect(sent(session)).toBe("")
    await page.render(tree(true, 6))
    await session.settle()
    expect(page.container.textContent).toBe("serving")
    expect((await session.callTool("a")).text).toBe("render 6")
    expect(onError).toHaveBeenCalledTimes(1)
  })

  it("because its session is closed is told once", async () => {
    const onError = vi.fn()
    await session.close()
    const page = await mount(
      <Web session={session} options={{ onError }}>
        <Offer name="a" />
        <Status />
      </Web>,
      { strict },
    )
    await session.settle()
    expect(onError).toHaveBeenCalledTimes(1)
    expect(onError.mock.calls[0]?.[0]).toMatchObject({ code: "closed" })
    expect(page.container.textContent).toBe("failed")
    expect(sent(session)).toBe("")
  })

  it("rejects its `ready`", async () => {
    const seen: unknown[] = []
    await mount(
      <Web session={session} name="not__a_name" options={{ onError: () => {} }}>
        <Ready onSettled={(outcome) => seen.push(outcome)} />
      </Web>,
      { strict },
    )
    await session.settle()
    expect(new Set(seen)).toEqual(new Set([expect.objectContaining({ code: "invalid_name" })]))
  })
})

const FIXED: Definition = () => ({ description, schema, execute })

const throws = (): void => {
  throw new Error("thrown by onError")
}

import { createItemStore, type ToolItem, type ToolItems } from "react-tool-client/tools"
import { describe, expect, it } from "vitest"
import { createTranscript } from "../../src/action/transcript.ts"

const before: readonly ToolItem[] = [
  { type: "note", text: "first" },
  { type: "plan", steps: ["a", { b: null }] },
]

/** What every ToolItems keeps to, wherever its items are kept. */
describe.each<{ kind: string; create(items?: readonly ToolItem[]): ToolItems }>([
  { kind: "a store in memory", create: createItemStore },
  {
    kind: "an agent's transcript",
    create: (items = []) =>
      createTranscript([
        { type: "message", message: { role: "user", content: "Hi." } },
        ...items.map((item) => ({ type: "item", item }) as const),
        { type: "message", message: { role: "assistant", content: "Hello." } },
      ]).items,
  },
])("items of $kind", ({ create }) => {
  it("are none at first", () => {
    const items = create()
    expect(items.list()).toEqual([])
    expect(items.list("note")).toEqual([])
    expect(items.latest("note")).toBeUndefined()
  })

  it("are listed in the order of their emission, of one type or of all", () => {
    const items = create(before)
    items.emit({ type: "note", text: "second" })
    expect(items.list()).toEqual([...before, { type: "note", text: "second" }])
    expect(items.list("note").map(({ text }) => text)).toEqual(["first", "second"])
    expect(items.list("")).toEqual([])
    expect(items.list("constructor")).toEqual([])
  })

  it("give the newest of a type", () => {
    const items = create(before)
    items.emit({ type: "note", text: "second" })
    items.emit({ type: "other" })
    expect(items.latest("note")).toEqual({ type: "note", text: "second" })
    expect(items.latest("plan")).toBe(items.list("plan")[0])
  })

  it("are what they were when they were emitted", () => {
    const items = create()
    const item = { type: "note", deep: { list: [1] } }
    items.emit(item)
    item.deep.list.push(2)
    expect(items.latest("note")).toEqual({ type: "note", deep: { list: [1] } })
    expect(() => (items.latest("note") as unknown as typeof item).deep.list.push(3)).toThrow(TypeError)
  })

  it("are lists that nobody's change changes", () => {
    const items = create(before)
    const list = items.list() as ToolItem[]
    list.pop()
    expect(items.list()).toHaveLength(2)
  })

  it.each([undefined, null, 1, "note", [], {}, { type: 1 }, { type: "" }, { type: "a", toJSON: () => 5 }, { type: "a", toJSON: () => undefined }])("are never %j", (value) => {
    const items = create()
    expect(() => items.emit(value as never)).toThrow("An item is a JSON object with a `type`")
    expect(items.list()).toEqual([])
  })

  it("are JSON: what JSON cannot say is left out, and what throws is thrown", () => {
    const items = create()
    items.emit({ type: "note", gone: undefined as never, at: new Date(0) as never })
    expect(items.latest("note")).toEqual({ type: "note", at: "1970-01-01T00:00:00.000Z" })
    expect(() => items.emit({ type: "note", big: 1n as never })).toThrow(TypeError)
  })
})

it("tells what was emitted since it was made", () => {
  const store = createItemStore(before)
  expect(store.emitted()).toEqual([])
  store.emit({ type: "note", text: "second" })
  expect(store.emitted()).toEqual([{ type: "note", text: "second" }])
})

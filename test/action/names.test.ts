import fc from "fast-check"
import { type ActionId, allocateActionNames, isActionName, ToolError } from "react-tool-client/tools"
import { describe, expect, it, onTestFinished, vi } from "vitest"

const id = (text: string): ActionId => {
  const [providerId = "", actionId = ""] = text.split("/")
  return { providerId, actionId }
}
const namesOf = (...texts: string[]) => allocateActionNames(texts.map(id))

describe("the name of an action", () => {
  it.each([
    ["demo/add", "demoAdd"],
    ["my-shop/add_to cart", "myShopAddToCart"],
    ["Demo/ADD", "demoADD"],
    ["3d/print", "action3dPrint"],
    ["日本/語", "action"],
    ["日本/add", "add"],
    ["/constructor", "actionConstructor"],
    ["to/string", "actionToString"],
    ["__proto__/", "proto"],
    ["/delete", "actionDelete"],
    ["/then", "actionThen"],
    ["is/prototype_of", "actionIsPrototypeOf"],
    ["a/b_2", "aB2"],
  ])("of %s is %s", (text, name) => {
    expect(namesOf(text)).toEqual([name])
  })

  it("gets _2 and _3 where others have it, in the order given", () => {
    expect(namesOf("a/b", "a/b!", "A/B", "a/c", "日/本", "本/日")).toEqual(["aB", "aB_2", "aB_3", "aC", "action", "action_2"])
  })

  it("is refused to the same pair of ids twice, which are named", () => {
    const twice = () => namesOf("a/b", "c/d", "a/b")
    expect(twice).toThrow(ToolError)
    expect(twice).toThrow("a.b")
  })
})

/** Ids that often collide and often look like trouble. */
const anyId = fc.record({
  providerId: fc.oneof(fc.string(), fc.constantFrom("a", "A", "a_", "constructor", "__proto__", "1", "ü")),
  actionId: fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("b", "B", "b-2", "then", "", "2")),
})
const ids = fc.uniqueArray(anyId, { selector: ({ providerId, actionId }) => JSON.stringify([providerId, actionId]), maxLength: 30 })

describe("names of any actions", () => {
  it("are all different, and can be called in a script", () => {
    fc.assert(
      fc.property(ids, (all) => {
        const names = allocateActionNames(all)
        expect(names).toHaveLength(all.length)
        expect(new Set(names).size).toBe(all.length)
        for (const name of names) {
          expect(isActionName(name)).toBe(true)
          expect(name in {}).toBe(false)
          // eslint-disable-next-line @typescript-eslint/no-implied-eval -- whether it parses is the question
          expect(() => new Function(`"use strict"; async function ${name}() {}; ${name}()`)).not.toThrow()
        }
      }),
    )
  })

  it("are the same each time, and further actions at the end change none before them", () => {
    fc.assert(
      fc.property(ids, fc.nat(), (all, cut) => {
        const names = allocateActionNames(all)
        expect(allocateActionNames(all)).toEqual(names)
        const some = all.slice(0, cut % (all.length + 1))
        expect(allocateActionNames(some)).toEqual(names.slice(0, some.length))
      }),
    )
  })

  it("stay in any order of the actions where nobody else wants them", () => {
    const shuffled = ids.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })))
    fc.assert(
      fc.property(shuffled, ([all, other]) => {
        const alone = (one: ActionId): string => allocateActionNames([one])[0] as string
        const wanted = all.map(alone)
        const inOrder = new Map(all.map((one, index) => [one, allocateActionNames(all)[index]]))
        const names = allocateActionNames(other)
        other.forEach((one, index) => {
          if (wanted.filter((name) => name === alone(one)).length === 1) expect(names[index]).toBe(inOrder.get(one))
        })
      }),
      { numRuns: 50 },
    )
  })
})

it("Ten thousand actions whose ids leave one name have theirs at once: no name is looked for from the beginning.", () => {
  const has = vi.spyOn(Set.prototype, "has")
  onTestFinished(() => has.mockRestore())
  const names = allocateActionNames(Array.from({ length: 10_000 }, (_, index) => ({ providerId: "店", actionId: String.fromCodePoint(0x4e00 + index) })))
  expect(names.slice(0, 3)).toEqual(["action", "action_2", "action_3"])
  expect(new Set(names).size).toBe(10_000)
  expect(has.mock.calls.length).toBeLessThan(50_000)
})

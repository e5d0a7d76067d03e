import { describe, expect, it } from "vitest"
import { createScriptTurns } from "./scriptTurns.ts"

function setUp(running: number, unfinished: number) {
  const turns = createScriptTurns({ running, unfinished })
  const begun: string[] = []
  const enter = (name: string) => {
    const turn = turns.enter()
    const take = (): void => turn.take(() => void begun.push(name))
    take()
    return { ...turn, goOn: take }
  }
  return { enter, begun }
}

describe("the turns of scripts", () => {
  it("are had first come first, as many at once as may run", () => {
    const { enter, begun } = setUp(2, 9)
    const [first] = [enter("1"), enter("2"), enter("3"), enter("4")]
    expect(begun).toEqual(["1", "2"])
    first?.leave()
    expect(begun).toEqual(["1", "2", "3"])
  })

  it("are given up by who waits for a person, and had again before those that have not begun", () => {
    const { enter, begun } = setUp(1, 9)
    const asking = enter("asking")
    const second = enter("second")
    enter("third")
    asking.pause()
    expect(begun).toEqual(["asking", "second"])
    asking.goOn()
    expect(begun).toEqual(["asking", "second"])
    second.leave()
    expect(begun).toEqual(["asking", "second", "asking"])
    asking.leave()
    expect(begun).toEqual(["asking", "second", "asking", "third"])
  })

  it("are lost by who is given up before, and left once", () => {
    const { enter, begun } = setUp(1, 9)
    const first = enter("first")
    const second = enter("second")
    enter("third")
    second.leave()
    second.leave()
    first.leave()
    first.leave()
    enter("fourth")
    expect(begun).toEqual(["first", "third"])
  })

  it("are no more than may be unfinished, those that wait for a person included", () => {
    const { enter } = setUp(1, 2)
    const asking = enter("asking")
    asking.pause()
    enter("second")
    expect(() => enter("third")).toThrow(expect.objectContaining({ code: "unavailable", message: expect.stringContaining("2 scripts of this sandbox are") as string }))
    asking.leave()
    enter("third")
  })
})

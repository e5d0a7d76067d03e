import { expect, test } from "vitest"
import { SumTree } from "./sumTree.ts"

const COUNT = 10_000

test("A change in ten thousand values adds up anew what lies on one path, and no more, in whatever order they came.", () => {
  let additions = 0
  const summing = { none: 0, of: (value: number) => value, plus: (one: number, other: number) => (additions++, one + other) }
  for (const keyOf of [(index: number) => index, (index: number) => COUNT - index, (index: number) => (index * 7919) % COUNT]) {
    let tree = new SumTree<number, number, number>(summing)
    for (let index = 0; index < COUNT; index++) tree = tree.with(keyOf(index), 1)
    expect(tree.sum).toBe(COUNT)
    additions = 0
    for (let index = 0; index < 100; index++) tree.with(index, 2)
    for (let index = 0; index < 100; index++) tree.without(index)
    // The depth of such a tree is some twenty-five; two additions a node.
    expect(additions / 200).toBeLessThan(120)
  }
})

test("A part that is not wanted is passed over as a whole.", () => {
  let asked = 0
  let tree = new SumTree<number, number, number>({ none: 0, of: (value) => value, plus: (one, other) => one + other })
  for (let index = 0; index < COUNT; index++) tree = tree.with(index, index === 5_000 ? 1 : 0)
  expect([...tree.entries((sum) => (asked++, sum > 0))].filter(([, value]) => value > 0)).toEqual([[5_000, 1]])
  expect(asked).toBeLessThan(200)
})

test("What two trees share is passed over, whichever of the two is asked.", () => {
  let tree = new SumTree<number, number, number>({ none: 0, of: (value) => value, plus: (one, other) => one + other })
  for (let index = 0; index < COUNT; index++) tree = tree.with(index, 0)
  const changed = tree.with(5_000, 1).without(7_000).with(COUNT, 1)
  const added = [...changed.entriesBeside(tree)]
  const gone = [...tree.entriesBeside(changed)]
  expect(added).toEqual(expect.arrayContaining([[5_000, 1], [COUNT, 1]]))
  expect(gone).toEqual(expect.arrayContaining([[5_000, 0], [7_000, 0]]))
  // Three paths, each some twenty-five deep.
  expect(Math.max(added.length, gone.length)).toBeLessThan(200)
  expect([...tree.entriesBeside(tree)]).toEqual([])
})

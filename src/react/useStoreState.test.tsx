import { act, render } from "@testing-library/react"
import { expect, it, vi } from "vitest"
import { createStore } from "../lib/store.ts"
import { useStoreState } from "./useStoreState.ts"

interface State {
  readonly names: readonly string[]
  readonly count: number
}

const EMPTY: State = { names: [], count: 0 }
const sameList = (one: readonly string[], other: readonly string[]): boolean => one.join() === other.join()
const storeOf = (names: readonly string[], count = 0) => createStore<State>({ names, count }, console.error)

/** All that the component was given, one for each render. */
function show(first: ReturnType<typeof storeOf> | null, firstPick: (state: State) => readonly string[]) {
  const given: (readonly string[])[] = []
  function Shown({ store, pick }: { readonly store: typeof first; readonly pick: typeof firstPick }) {
    given.push(useStoreState(store, EMPTY, (state) => pick(state), sameList))
    return null
  }
  const { rerender } = render(<Shown store={first} pick={firstPick} />)
  return { given, again: (store: typeof first, pick: typeof firstPick) => rerender(<Shown store={store} pick={pick} />) }
}

const copyOfNames = ({ names }: State): readonly string[] => [...names]

it("a list that is picked anew and equal is the one before, over renders and changes, and causes none", () => {
  const store = storeOf(["a"])
  const { given, again } = show(store, copyOfNames)
  act(() => store.set({ names: ["a"], count: 1 }))
  expect(given).toHaveLength(1)
  again(store, copyOfNames)
  act(() => store.set({ names: ["a"], count: 2 }))
  expect(given).toHaveLength(2)
  expect(given[1]).toBe(given[0])
  act(() => store.set({ names: ["b"], count: 2 }))
  expect(given).toEqual([["a"], ["a"], ["b"]])
})

it("another selector picks from the same snapshot in the very render that brings it", () => {
  const store = storeOf(["a", "b"])
  const { given, again } = show(store, copyOfNames)
  again(store, ({ names }) => names.slice(1))
  expect(given).toEqual([["a", "b"], ["b"]])
})

it("another store is read in the render that brings it and heard after it, and no store gives what is absent", () => {
  const [first, second] = [storeOf(["a"]), storeOf(["b"])]
  const { given, again } = show(null, copyOfNames)
  again(first, copyOfNames)
  again(second, copyOfNames)
  act(() => first.set({ names: ["nobody hears it"], count: 0 }))
  act(() => second.set({ names: ["c"], count: 0 }))
  again(null, copyOfNames)
  expect(given).toEqual([[], ["a"], ["b"], ["c"], []])
})

it("a snapshot is picked from once a render, however often React asks", () => {
  const pick = vi.fn(copyOfNames)
  show(storeOf(["a"]), pick)
  expect(pick).toHaveBeenCalledTimes(1)
})

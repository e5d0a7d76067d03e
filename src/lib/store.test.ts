import { describe, expect, it, vi } from "vitest"
import { createStore } from "./store.ts"

function setUp<State>(initial: State) {
  const errors: unknown[] = []
  const store = createStore(initial, (error) => errors.push(error))
  return { store, errors }
}

describe("a store", () => {
  it("tells its listeners of each replacement, with the new snapshot", () => {
    const { store } = setUp({ count: 0 })
    const heard: unknown[] = []
    store.subscribe((state) => heard.push(state))
    const next = { count: 1 }
    store.set(next)
    expect(heard).toEqual([next])
    expect(store.state).toBe(next)
  })

  it.each([[{ count: 0 }], [NaN], [undefined]])("tells nobody when the snapshot is the same one (%j)", (snapshot) => {
    const { store } = setUp<unknown>(snapshot)
    const listener = vi.fn()
    store.subscribe(listener)
    store.set(snapshot)
    expect(listener).not.toHaveBeenCalled()
  })

  it("tells nobody of the snapshot that was there before the subscription", () => {
    const { store } = setUp(0)
    store.set(1)
    const listener = vi.fn()
    store.subscribe(listener)
    expect(listener).not.toHaveBeenCalled()
  })

  it("lets the same function subscribe twice: it is heard twice, and each subscription ends by its own unsubscribe", () => {
    const { store } = setUp(0)
    const listener = vi.fn()
    const first = store.subscribe(listener)
    const second = store.subscribe(listener)
    store.set(1)
    expect(listener).toHaveBeenCalledTimes(2)
    first()
    store.set(2)
    expect(listener).toHaveBeenCalledTimes(3)
    second()
    store.set(3)
    expect(listener).toHaveBeenCalledTimes(3)
  })

  it("does not end another subscription when one is ended twice", () => {
    const { store } = setUp(0)
    const listener = vi.fn()
    const first = store.subscribe(listener)
    store.subscribe(listener)
    first()
    first()
    store.set(1)
    expect(listener).toHaveBeenCalledTimes(1)
  })

  it("reports a listener that throws, and still tells the others", () => {
    const { store, errors } = setUp(0)
    const after = vi.fn()
    store.subscribe(() => {
      throw new Error("mine")
    })
    store.subscribe(after)
    store.set(1)
    expect(after).toHaveBeenCalledWith(1)
    expect(errors).toEqual([new Error("mine")])
    expect(store.state).toBe(1)
  })

  it("reports the rejection of a listener that is async", async () => {
    const { store, errors } = setUp(0)
    // As a listener without types may be.
    const listener: () => unknown = () => Promise.reject(new Error("later"))
    store.subscribe(listener)
    store.set(1)
    await Promise.resolve()
    await Promise.resolve()
    expect(errors).toEqual([new Error("later")])
  })

  it("never tells a listener something older than it has heard, when a listener sets", () => {
    const { store } = setUp(0)
    const heard: number[] = []
    store.subscribe((state) => {
      if (state === 1) store.set(2)
    })
    store.subscribe((state) => heard.push(state))
    store.set(1)
    expect(store.state).toBe(2)
    expect(heard.at(-1)).toBe(2)
    expect(heard).toEqual([...heard].sort())
    expect(heard).not.toContain(1)
  })

  it("does not call a listener that another one has unsubscribed meanwhile", () => {
    const { store } = setUp(0)
    const second = vi.fn()
    let stop = (): void => {}
    store.subscribe(() => stop())
    stop = store.subscribe(second)
    store.set(1)
    expect(second).not.toHaveBeenCalled()
  })

  it("calls a listener that was subscribed by another one from the next replacement on", () => {
    const { store } = setUp(0)
    const late = vi.fn()
    let isAdded = false
    store.subscribe(() => {
      if (!isAdded) store.subscribe(late)
      isAdded = true
    })
    store.set(1)
    expect(late).not.toHaveBeenCalled()
    store.set(2)
    expect(late).toHaveBeenCalledExactlyOnceWith(2)
  })

  it("may be unsubscribed by the listener itself while it is told", () => {
    const { store } = setUp(0)
    const heard: number[] = []
    const stop = store.subscribe((state) => {
      heard.push(state)
      stop()
    })
    store.set(1)
    store.set(2)
    expect(heard).toEqual([1])
  })
})

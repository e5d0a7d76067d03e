import { afterEach, describe, expect, it, vi } from "vitest"
import { takeTabId } from "./tabId.ts"

/** A tab's storage: a plain object behind the part of `Storage` that is used. */
function stubStorage(items: Map<string, string> = new Map()): Map<string, string> {
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  })
  return items
}

afterEach(() => {
  vi.unstubAllGlobals()
})

describe("a tab's id", () => {
  it("is new in a new tab, and stands nowhere while the page lives", () => {
    const items = stubStorage()
    const { value } = takeTabId("https://a.example")
    expect(value).toMatch(/^[0-9a-f]{32}$/)
    expect(items.size).toBe(0)
  })

  it.each(["leave", "suspend", "freeze"] as const)("survives a reload after the page's %s", (event) => {
    const items = stubStorage()
    const before = takeTabId("https://a.example")
    before.onPageEvent(event)
    expect(items.size).toBe(1)
    expect(takeTabId("https://a.example").value).toBe(before.value)
    expect(items.size).toBe(0)
  })

  it.each(["thaw", "wake"] as const)("is taken out of the storage again on the page's %s", (event) => {
    const items = stubStorage()
    const tab = takeTabId("https://a.example")
    tab.onPageEvent("suspend")
    tab.onPageEvent(event)
    expect(items.size).toBe(0)
    tab.onPageEvent("leave")
    expect(takeTabId("https://a.example").value).toBe(tab.value)
  })

  it("is another one in a tab that was duplicated from one that lives", () => {
    const items = stubStorage()
    const one = takeTabId("https://a.example")
    // The copy of the storage that the duplicate gets.
    stubStorage(new Map(items))
    expect(takeTabId("https://a.example").value).not.toBe(one.value)
  })

  it("is another one from now on, for later loads too, once another page that lives turns out to have it", () => {
    const items = stubStorage()
    const tab = takeTabId("https://a.example")
    const before = tab.value
    tab.renew()
    expect(tab.value).toMatch(/^[0-9a-f]{32}$/)
    expect(tab.value).not.toBe(before)
    expect(items.size).toBe(0)
    tab.onPageEvent("leave")
    expect(takeTabId("https://a.example").value).toBe(tab.value)
  })

  it("is one for each server", () => {
    stubStorage()
    const one = takeTabId("https://a.example")
    const other = takeTabId("https://b.example")
    one.onPageEvent("leave")
    other.onPageEvent("leave")
    expect(one.value).not.toBe(other.value)
    expect(takeTabId("https://b.example").value).toBe(other.value)
    expect(takeTabId("https://a.example").value).toBe(one.value)
  })

  it.each<[string, () => void]>([
    ["is missing", () => vi.stubGlobal("sessionStorage", undefined)],
    [
      "throws when it is looked at",
      () => {
        Object.defineProperty(globalThis, "sessionStorage", {
          configurable: true,
          get() {
            throw new DOMException("blocked", "SecurityError")
          },
        })
      },
    ],
    [
      "throws when it is used",
      () => {
        const throws = (): never => {
          throw new DOMException("full", "QuotaExceededError")
        }
        vi.stubGlobal("sessionStorage", { getItem: throws, setItem: throws, removeItem: throws })
      },
    ],
  ])("is there also where the storage %s", (_how, block) => {
    block()
    const tab = takeTabId("https://a.example")
    expect(tab.value).toMatch(/^[0-9a-f]{32}$/)
    for (const event of ["leave", "suspend", "freeze", "thaw", "wake"] as const) expect(() => tab.onPageEvent(event)).not.toThrow()
    Reflect.deleteProperty(globalThis, "sessionStorage")
  })
})

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { documentLifecycle, type PageEvent } from "./pageLifecycle.ts"

/** A window or document that knows how many listen to it. */
class CountedTarget extends EventTarget {
  listeners = 0
  visibilityState = "visible"
  override addEventListener(...args: Parameters<EventTarget["addEventListener"]>): void {
    this.listeners++
    super.addEventListener(...args)
  }
  override removeEventListener(...args: Parameters<EventTarget["removeEventListener"]>): void {
    this.listeners--
    super.removeEventListener(...args)
  }
}

const pageEvent = (type: string, persisted: boolean): Event => Object.assign(new Event(type), { persisted })

describe("the page's own events", () => {
  let window: CountedTarget
  let document: CountedTarget
  beforeEach(() => {
    window = new CountedTarget()
    document = new CountedTarget()
    vi.stubGlobal("window", window)
    vi.stubGlobal("document", document)
  })
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  it.each<[string, () => void, readonly PageEvent[]]>([
    ["the network is back", () => window.dispatchEvent(new Event("online")), ["wake"]],
    ["the page is looked at", () => document.dispatchEvent(new Event("visibilitychange")), ["wake"]],
    ["the page is shown for the first time", () => window.dispatchEvent(pageEvent("pageshow", false)), ["wake"]],
    ["the page is back from the back/forward cache", () => window.dispatchEvent(pageEvent("pageshow", true)), ["thaw"]],
    ["the page was frozen and goes on", () => document.dispatchEvent(new Event("resume")), ["thaw"]],
    ["the page goes into the back/forward cache", () => window.dispatchEvent(pageEvent("pagehide", true)), ["suspend"]],
    ["the page goes for good", () => window.dispatchEvent(pageEvent("pagehide", false)), ["leave"]],
    ["the page is frozen", () => document.dispatchEvent(new Event("freeze")), ["freeze"]],
    ["the page might go, and a person may stay", () => window.dispatchEvent(new Event("beforeunload")), []],
  ])("%s", (_what, happen, expected) => {
    const heard: PageEvent[] = []
    documentLifecycle.listen((event) => heard.push(event))
    happen()
    expect(heard).toEqual(expected)
  })

  it("the page is hidden: nothing is said", () => {
    const heard: PageEvent[] = []
    documentLifecycle.listen((event) => heard.push(event))
    document.visibilityState = "hidden"
    document.dispatchEvent(new Event("visibilitychange"))
    expect(heard).toEqual([])
  })

  it("are heard no more once the listener is taken off, and no listener stays", () => {
    const heard: PageEvent[] = []
    const stop = documentLifecycle.listen((event) => heard.push(event))
    expect(window.listeners + document.listeners).toBeGreaterThan(0)
    stop()
    window.dispatchEvent(new Event("online"))
    expect(heard).toEqual([])
    expect(window.listeners + document.listeners).toBe(0)
  })

  it("never include unload or beforeunload, which would keep a page out of the back/forward cache", () => {
    const types: string[] = []
    window.addEventListener = (type: string) => void types.push(type)
    document.addEventListener = (type: string) => void types.push(type)
    documentLifecycle.listen(() => {})
    expect(types).not.toContain("unload")
    expect(types).not.toContain("beforeunload")
  })
})

describe("where there is no page", () => {
  it("there is nothing to listen to, as in a worker or on Node", () => {
    expect(documentLifecycle.listen(() => expect.unreachable())).not.toThrow()
  })
})

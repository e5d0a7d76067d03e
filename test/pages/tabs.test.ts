import { describe, expect, test } from "vitest"
import { eventually } from "../e2e/support/eventually.ts"
import { problemsOf, serves, timed, withChromium, withSite } from "./support/harness.ts"
import type { Tab } from "./support/tab.ts"

const chromium = withChromium()

/** A request that had to wait for one of six connections would take much longer, or for ever. */
const NOT_STARVED_MS = 3_000

const protocolOf = (tab: Tab): Promise<string | undefined> =>
  tab.evaluate(() => performance.getEntriesByType("navigation").map((entry) => (entry as PerformanceNavigationTiming).nextHopProtocol)[0])

describe("Several tabs of one session", () => {
  const site = withSite()

  const instancesOf = (session: { seen(what: string): readonly { body: unknown }[] }): number =>
    new Set(session.seen("POST tool-clients").map(({ body }) => (body as { instance_id: string }).instance_id)).size

  test("Row 25. A duplicated tab, its storage copied: two instances, each serves under a name of its own and can see it", async () => {
    const session = await site().createSession()
    const tab = await chromium.open(session.page({ label: "one tab" }))
    await serves(tab)
    // By now its storage has held its identity.
    await tab.reload()
    await serves(tab)
    await tab.evaluate(() => sessionStorage.setItem("of the page", "copied"))
    const copy = await chromium.opened(() => tab.evaluate(() => void window.open(location.href)))
    await serves(copy, "web_2")
    expect(await copy.evaluate(() => sessionStorage.getItem("of the page"))).toBe("copied")
    expect(await session.clients()).toEqual(["web", "web_2"])
    expect(instancesOf(session)).toBe(2)
    await serves(tab, "web")

    // Each keeps its own over a reload.
    await Promise.all([tab.reload(), copy.reload()])
    await Promise.all([serves(tab, "web"), serves(copy, "web_2")])
    expect(await session.clients()).toEqual(["web", "web_2"])
    expect(instancesOf(session)).toBe(2)
  })

  test("Row 25. A tab is duplicated while it is frozen, its identity in its storage: both serve under names of their own, and keep them", async () => {
    const session = await site().createSession()
    const tab = await chromium.open(session.page({ label: "original" }))
    await serves(tab)
    await chromium.hideAll()
    await tab.freeze()
    const stored = await tab.evaluate(() => Object.entries<string>(sessionStorage))
    expect(stored).not.toEqual([])
    const copy = await chromium.open(site().plainPage)
    await copy.evaluate((items) => {
      for (const [name, value] of items) sessionStorage.setItem(name, value)
    }, stored)
    await copy.goto(session.page({ label: "copy" }))
    // It is taken for the same tab, loaded again: nobody can know better yet.
    await serves(copy, "web")

    await tab.thaw()
    await eventually(() => session.clients()).toEqual(["web", "web_2"])
    await Promise.all([serves(tab, "web"), serves(copy, "web_2")])
    await Promise.all([tab.reload(), copy.reload()])
    await Promise.all([serves(tab, "web"), serves(copy, "web_2")])
    expect(await session.clients()).toEqual(["web", "web_2"])
    expect((await session.call("client__web__who")).text).toBe("original")
    expect((await session.call("client__web_2__who")).text).toBe("copy")
    // First one each, then those that tell them apart, then one for each reload.
    expect(session.seen("POST tool-clients")).toHaveLength(6)
  })

  test("Two tabs with one client name: both serve under different names, and each answers its own calls", async () => {
    const session = await site().createSession()
    const one = await chromium.open(session.page({ label: "one" }))
    await serves(one, "web")
    const other = await chromium.open(session.page({ label: "other" }))
    await serves(other, "web_2")
    const answers = await Promise.all(["web", "web_2", "web", "web_2"].map((name) => session.call(`client__${name}__who`)))
    expect(answers.map(({ text }) => text)).toEqual(["one", "other", "one", "other"])
    await one.close()
    await eventually(() => session.clients()).toEqual(["web_2"])
    expect(await session.call("client__web_2__who")).toMatchObject({ text: "other" })
  })

  test("Row 26. Seven tabs on HTTP/1.1: all seven serve and answer, and no request is starved", async () => {
    const session = await site().createSession()
    const tabs: Tab[] = []
    for (let count = 1; count <= 7; count++) {
      const page = session.page({ label: `tab ${count}` })
      // All but the first come from the browser's cache, and do not know over which protocol.
      await tabs[0]?.evaluate((url) => fetch(url).then((response) => response.text()), page)
      const tab = await chromium.open(page)
      await serves(tab, count === 1 ? "web" : `web_${count}`)
      expect(await protocolOf(tab)).toBe(count === 1 ? "http/1.1" : "")
      tabs.push(tab)
    }
    expect(session.streams).toBe(7)
    const [answers, took] = await timed(Promise.all((await session.clients()).map((name) => session.call(`client__${name}__who`))))
    expect(answers.map(({ text }) => text)).toEqual(["tab 1", "tab 2", "tab 3", "tab 4", "tab 5", "tab 6", "tab 7"])
    expect(took).toBeLessThan(NOT_STARVED_MS)
    for (const tab of tabs) {
      const [status, fetched] = await timed(tab.evaluate(() => fetch("/plain", { cache: "no-store" }).then((response) => response.status)))
      expect(status).toBe(200)
      expect(fetched).toBeLessThan(NOT_STARVED_MS)
      expect(await problemsOf(tab)).toEqual([])
    }
  })
})

describe("At a server without WebSocket", () => {
  const site = withSite({ hasSockets: false })

  test("Row 26. Seven tabs on HTTP/1.1: a stream that is not open in 10 s is reported with its likely cause", async () => {
    const session = await site().createSession()
    const tabs: Tab[] = []
    // From another origin, or the seventh page itself could not be loaded.
    for (let count = 1; count <= 7; count++) {
      tabs.push(await chromium.open(session.page({ from: site().otherOrigin, server: site().origin })))
      if (count <= 6) await eventually(() => session.streams).toBe(count)
    }
    const seventh = tabs[6]
    if (!seventh) throw new Error("There is no seventh tab.")
    await eventually(() => problemsOf(seventh)).toEqual([expect.stringMatching(/not open within 10 s.*six open tabs.*HTTP\/2/)])
    expect(session.streams).toBe(6)
  })
})

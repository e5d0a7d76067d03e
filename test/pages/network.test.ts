import { describe, expect, test } from "vitest"
import { eventually } from "../e2e/support/eventually.ts"
import { problemsOf, serves, timed, withChromium, withSite } from "./support/harness.ts"
import type { Site } from "./support/site.ts"
import type { Tab } from "./support/tab.ts"

const chromium = withChromium()

/** Well below the back-off that the tests wait for, which is six seconds of the machine's clock. */
const SECONDS_MS = 3_000

const TTL_MS = 60_000
const ASLEEP_MS = 8 * 3_600_000

/** Cut off until the client tries only twice a minute; its clock goes five times as fast. */
async function loseNetwork(site: Site, tab: Tab): Promise<void> {
  site.goDown()
  await tab.setOffline(true)
  await eventually(async () => (await problemsOf(tab)).filter((problem) => problem.includes("event stream")).length).toBeGreaterThanOrEqual(7)
}

async function findNetwork(site: Site, tab: Tab): Promise<void> {
  site.comeUp()
  await tab.setOffline(false)
}

describe("WebSockets that do not get through for a while", () => {
  const site = withSite()

  test("The stream comes by `fetch` meanwhile, and over a WebSocket again once they do", async () => {
    const session = await site().createSession()
    const tab = await chromium.open(session.page())
    await serves(tab)
    await eventually(() => [session.streams, session.sockets]).toEqual([1, 1])

    site().letsSocketsThrough = false
    site().cut()
    await eventually(() => [session.streams, session.sockets]).toEqual([1, 0])
    expect(await session.call("client__web__add_note", { text: "over fetch" })).toMatchObject({ text: "Added to 0.", is_error: false })

    site().letsSocketsThrough = true
    site().cut()
    await eventually(() => [session.streams, session.sockets]).toEqual([1, 1])
    expect(await session.call("client__web__notes")).toMatchObject({ text: "over fetch", is_error: false })
    expect(session.seen("POST tool-clients")).toHaveLength(1)
  })
})

for (const hasSockets of [true, false]) {
  describe(`Offline, its stream over ${hasSockets ? "a WebSocket" : "fetch"}`, () => {
    const site = withSite({ hasSockets, speed: 5 })

    test("Cut off and back again: serving within seconds of `online`, and the calls in between are answered once", async () => {
      const session = await site().createSession()
      // It lives as long as it takes: what becomes of an expired one is the next test's.
      const tab = await chromium.open(session.page({ ttl: 600, chance: 1 }))
      await serves(tab)
      const running = session.call("client__web__wait")
      await eventually(() => session.seen("POST acks").length).toBe(1)
      await loseNetwork(site(), tab)
      await tab.evaluate(() => testPage.answer("said while offline"))
      const added = session.call("client__web__add_note", { text: "asked while offline" })
      const [outcomes, took] = await timed(findNetwork(site(), tab).then(() => Promise.all([running, added])))
      expect(outcomes).toMatchObject([
        { text: "said while offline", is_error: false },
        { text: "Added to 0.", is_error: false },
      ])
      expect(took).toBeLessThan(SECONDS_MS)
      expect(await session.call("client__web__notes")).toMatchObject({ text: "asked while offline" })
      await serves(tab)
      expect(await session.clients()).toEqual(["web"])
      await eventually(() => session.streams).toBe(1)
    })

    test("Cut off beyond its ttl: its calls are settled, and it serves again under the same name within seconds of `online`", async () => {
      const session = await site().createSession()
      const tab = await chromium.open(session.page({ chance: 1 }))
      await serves(tab)
      const call = session.call("client__web__wait")
      await eventually(() => session.seen("POST acks").length).toBe(1)
      await loseNetwork(site(), tab)
      site().clock.skip(TTL_MS)
      expect(await call).toMatchObject({ text: expect.stringMatching(/no sign of life.*may have run/), is_error: true })
      expect(await session.clients()).toEqual([])
      const [, took] = await timed(findNetwork(site(), tab).then(() => eventually(() => session.clients()).toEqual(["web"])))
      expect(took).toBeLessThan(SECONDS_MS)
      await serves(tab)
      expect(await session.call("client__web__add_note", { text: "after" })).toMatchObject({ text: "Added to 0.", is_error: false })
      await eventually(() => session.streams).toBe(1)
    })
  })

  describe(`Asleep, its stream over ${hasSockets ? "a WebSocket" : "fetch"}`, () => {
    const site = withSite({ hasSockets })

    test("Row 3. A laptop sleeps for 8 hours, its socket stays open: the stream is replaced and the page serves again by itself, under the same name", async () => {
      const session = await site().createSession()
      const tab = await chromium.open(session.page())
      await serves(tab)
      const call = session.call("client__web__wait")
      await eventually(() => session.seen("POST acks").length).toBe(1)
      const opened = session.seen("GET events").length

      site().clock.skip(TTL_MS)
      expect(await call).toMatchObject({ text: expect.stringMatching(/no sign of life/), is_error: true })
      expect(await session.clients()).toEqual([])
      // What the server has said reaches the page before it sleeps; nothing comes after.
      await eventually(() => tab.evaluate(() => testPage.aborted.length)).toBe(1)
      await tab.evaluate((asleepMs) => {
        const now = Date.now
        Date.now = () => now() + asleepMs
      }, ASLEEP_MS)

      await eventually(() => session.clients()).toEqual(["web"])
      await serves(tab)
      expect(session.seen("GET events").length).toBeGreaterThan(opened)
      await eventually(() => session.streams).toBe(1)
      expect(await session.call("client__web__add_note", { text: "awake" })).toMatchObject({ text: "Added to 0.", is_error: false })
      expect(session.seen("POST tool-clients")).toHaveLength(2)
    })
  })
}

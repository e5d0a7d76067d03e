import { describe, expect, test } from "vitest"
import { eventually } from "../e2e/support/eventually.ts"
import { lifecycleOf, serves, withChromium, withSite } from "./support/harness.ts"

const chromium = withChromium()

/** Long enough for a page's `fetch` to be dead after it (measured: from 2 s on). */
const FROZEN_MS = 3_000

/** A page is back within this. */
const SECONDS_MS = 5_000

const pass = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

for (const hasSockets of [true, false]) {
  describe(`its stream over ${hasSockets ? "a WebSocket" : "fetch"}`, () => {
    const site = withSite({ hasSockets })

    test("Row 2. Frozen and resumed: one stream, one registration, at most one ping, and the call that came meanwhile is answered", async () => {
      const session = await site().createSession()
      const tab = await chromium.open(session.page())
      await serves(tab)
      await chromium.hideAll()
      await tab.freeze()
      const call = session.call("client__web__add_note", { text: "sent to a frozen page" })
      await pass(FROZEN_MS)
      expect(session.seen("POST acks")).toEqual([])

      const [registrations, pings] = [session.seen("POST tool-clients").length, session.seen("POST ping").length]
      await tab.thaw()
      const thawedAt = Date.now()
      expect(await call).toMatchObject({ text: "Added to 0.", is_error: false })
      expect(Date.now() - thawedAt).toBeLessThan(SECONDS_MS)
      await tab.show()
      await serves(tab)
      expect(await lifecycleOf(tab)).toEqual(expect.arrayContaining(["freeze", "resume"]))
      expect(await session.call("client__web__notes")).toMatchObject({ text: "sent to a frozen page" })
      expect(await session.clients()).toEqual(["web"])
      await eventually(() => session.streams).toBe(1)
      expect(session.seen("POST tool-clients").length - registrations).toBe(1)
      expect(session.seen("POST ping").length - pings).toBeLessThanOrEqual(1)
    })

    test("Row 2. Frozen beyond its ttl: its calls are settled, and it serves again under the same name within seconds of its return", async () => {
      const session = await site().createSession()
      const tab = await chromium.open(session.page({ ttl: 60 }))
      await serves(tab)
      await chromium.hideAll()
      await tab.freeze()
      const call = session.call("client__web__add_note", { text: "too late" })
      await pass(FROZEN_MS)
      site().clock.skip(60_000)
      const settled = await call
      expect(settled.is_error).toBe(true)
      expect(settled.text).toMatch(/no sign of life.*did not run/)
      expect(await session.clients()).toEqual([])

      await tab.thaw()
      const thawedAt = Date.now()
      await eventually(() => session.clients()).toEqual(["web"])
      expect(Date.now() - thawedAt).toBeLessThan(SECONDS_MS)
      await serves(tab)
      expect(await session.call("client__web__notes")).toMatchObject({ text: "", is_error: false })
      await eventually(() => session.streams).toBe(1)
    })

    test("Row 25. A frozen page is discarded: loaded again, it serves under the same name, and its call settles at once", async () => {
      const session = await site().createSession()
      const tab = await chromium.open(session.page())
      await serves(tab)
      const call = session.call("client__web__wait")
      await eventually(() => session.seen("POST acks").length).toBe(1)
      await chromium.hideAll()
      await tab.freeze()
      await pass(FROZEN_MS)
      // Memory Saver ends a page's process without a word.
      await tab.crash()
      await tab.reload()
      await serves(tab)
      expect(await call).toMatchObject({ text: expect.stringMatching(/went away.*may have run/), is_error: true })
      expect(await session.clients()).toEqual(["web"])
    })
  })
}

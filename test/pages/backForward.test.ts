import { describe, expect, test } from "vitest"
import { eventually } from "../e2e/support/eventually.ts"
import { lifecycleOf, serves, withChromium, withSite } from "./support/harness.ts"

const chromium = withChromium()

for (const hasSockets of [true, false]) {
  describe(`its stream over ${hasSockets ? "a WebSocket" : "fetch"}`, () => {
    const site = withSite({ hasSockets })

    for (const [direction, steps] of [
      ["back", -1],
      ["forward", 1],
    ] as const) {
      test(`Row 24. Away and ${direction} again: not offered while in the back/forward cache, restored from it, serving under the same name, once`, async () => {
        const session = await site().createSession()
        const tab = await chromium.open(site().plainPage)
        await tab.goto(session.page())
        await serves(tab)
        await session.call("client__web__add_note", { text: "before" })
        const call = session.call("client__web__wait")
        await eventually(() => session.seen("POST acks").length).toBe(2)

        if (steps === 1) await tab.traverse(-1)
        else await tab.goto(site().plainPage)
        await eventually(() => session.clients()).toEqual([])
        await eventually(() => session.streams).toBe(0)
        expect(session.seen("POST ping").map(({ body }) => body)).toEqual([{ suspended: true, revision: expect.any(Number) }])
        await expect(session.call("client__web__notes")).rejects.toThrow(/notes/)

        expect(await tab.traverse(steps)).toEqual({ isRestored: true, reasons: [] })
        await eventually(() => session.clients()).toEqual(["web"])
        await serves(tab)
        expect((await lifecycleOf(tab)).at(-1)).toBe("pageshow persisted")
        expect(await tab.evaluate(() => performance.getEntriesByType("navigation").map((entry) => ({ ...entry.toJSON() }).notRestoredReasons))).toEqual([null])
        // The same page with all its state: the call that ran when it went is answered.
        await tab.evaluate(() => testPage.answer("after the return"))
        expect(await call).toMatchObject({ text: "after the return", is_error: false })
        expect(await session.call("client__web__notes")).toMatchObject({ text: "before", is_error: false })
        expect(session.seen("POST tool-clients")).toHaveLength(2)
        await eventually(() => session.streams).toBe(1)
      })
    }

    test("Row 24. Away beyond its ttl: its call is settled, and back again it serves under the same name", async () => {
      const session = await site().createSession()
      const tab = await chromium.open(session.page())
      await serves(tab)
      const call = session.call("client__web__wait")
      await eventually(() => session.seen("POST acks").length).toBe(1)
      await tab.goto(site().plainPage)
      await eventually(() => session.clients()).toEqual([])
      site().clock.skip(60_000)
      expect(await call).toMatchObject({ text: expect.stringMatching(/no sign of life.*may have run/), is_error: true })
      expect(await tab.traverse(-1)).toEqual({ isRestored: true, reasons: [] })
      await serves(tab)
      await eventually(() => tab.evaluate(() => testPage.aborted.length)).toBe(1)
      expect(await session.call("client__web__add_note", { text: "back" })).toMatchObject({ text: "Added to 0.", is_error: false })
      expect(await session.clients()).toEqual(["web"])
    })

    test("Row 24. Two pages with tools, one after the other in one tab: back and forward, each serves under the same name, once", async () => {
      const session = await site().createSession()
      const tab = await chromium.open(session.page({ label: "first" }))
      await serves(tab)
      await tab.goto(session.page({ label: "second" }))
      await serves(tab)
      for (const [steps, label] of [
        [-1, "first"],
        [1, "second"],
        [-1, "first"],
      ] as const) {
        expect(await tab.traverse(steps)).toEqual({ isRestored: true, reasons: [] })
        await serves(tab)
        await eventually(() => session.clients()).toEqual(["web"])
        expect(await session.call("client__web__who")).toMatchObject({ text: label, is_error: false })
      }
      await eventually(() => session.streams).toBe(1)
    })
  })
}

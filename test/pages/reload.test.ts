import { describe, expect, test } from "vitest"
import { eventually } from "../e2e/support/eventually.ts"
import { serves, timed, withChromium, withSite } from "./support/harness.ts"

const chromium = withChromium()

/** Without waiting for anything but the page itself, on a busy machine. */
const AT_ONCE_MS = 5_000

for (const hasSockets of [true, false]) {
  describe(`its stream over ${hasSockets ? "a WebSocket" : "fetch"}`, () => {
    const site = withSite({ hasSockets })

    test("A page is reloaded while it runs a call: the call settles at once with a text that the page went away; the same name after it, no duplicate", async () => {
      const session = await site().createSession()
      const tab = await chromium.open(session.page())
      await serves(tab)
      const call = session.call("client__web__wait")
      await eventually(() => session.seen("POST acks").length).toBe(1)

      const [settled, took] = await timed(Promise.all([call, tab.reload()]).then(([outcome]) => outcome))
      expect(settled.is_error).toBe(true)
      expect(settled.text).toMatch(/went away.*may have run/)
      expect(took).toBeLessThan(AT_ONCE_MS)
      await serves(tab)
      expect(await session.clients()).toEqual(["web"])
      expect(await session.call("client__web__add_note", { text: "after" })).toMatchObject({ text: "Added to 0.", is_error: false })
      await eventually(() => session.streams).toBe(1)
    })

    test("A page is reloaded after it began a call and before its ack was taken: the page that was loaded does not run it again, and says that it may have run", async () => {
      const session = await site().createSession()
      const tab = await chromium.open(session.page())
      await serves(tab)
      const release = site().hold("POST acks")
      const call = session.call("client__web__wait")
      await eventually(() => session.seen("POST acks").length).toBe(1)
      await tab.reload()
      // What the old page had sent is refused: its client is superseded.
      await serves(tab)
      release()
      expect(await call).toMatchObject({ text: expect.stringMatching(/loaded again.*may have run/), is_error: true })
      expect(await session.clients()).toEqual(["web"])
      expect(await session.call("client__web__add_note", { text: "after" })).toMatchObject({ text: "Added to 0.", is_error: false })
    })

    test("Row 25. A tab is closed: its last ping un-advertises its tools at once, and its call is settled when it does not come back", async () => {
      const session = await site().createSession()
      const tab = await chromium.open(session.page())
      await serves(tab)
      const call = session.call("client__web__wait")
      await eventually(() => session.seen("POST acks").length).toBe(1)
      await tab.close()
      await eventually(() => session.clients()).toEqual([])
      expect(session.seen("POST ping").map(({ body }) => body)).toEqual([{ leaving: true, revision: expect.any(Number) }])
      await eventually(() => session.streams).toBe(0)
      site().clock.skip(10_000)
      const settled = await call
      expect(settled.is_error).toBe(true)
      expect(settled.text).toMatch(/went away.*may have run/)
    })

    test("Row 25. A page's process crashes: nothing is said, and the ttl settles its call and takes it off", async () => {
      const session = await site().createSession()
      const tab = await chromium.open(session.page({ ttl: 60 }))
      await serves(tab)
      const call = session.call("client__web__wait")
      await eventually(() => session.seen("POST acks").length).toBe(1)
      await tab.crash()
      await eventually(() => session.streams).toBe(0)
      expect(session.seen("POST ping")).toEqual([])
      expect(await session.clients()).toEqual(["web"])
      site().clock.skip(60_000)
      const settled = await call
      expect(settled.is_error).toBe(true)
      expect(settled.text).toMatch(/no sign of life.*may have run/)
      expect(await session.clients()).toEqual([])
      // Loaded again, it serves under its name.
      await tab.reload()
      await serves(tab)
      expect(await session.clients()).toEqual(["web"])
    })
  })
}

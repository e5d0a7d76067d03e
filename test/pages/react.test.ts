import { describe, expect, test } from "vitest"
import { eventually } from "../e2e/support/eventually.ts"
import { problemsOf, serves, withChromium, withSite } from "./support/harness.ts"

const chromium = withChromium()

for (const hasSockets of [true, false]) {
  describe(`its stream over ${hasSockets ? "a WebSocket" : "fetch"}`, () => {
    const site = withSite({ hasSockets })

    test("Row 22. StrictMode mounts twice, and keys change fast: one connection, one registration, nothing withdrawn", async () => {
      const session = await site().createSession()
      const tab = await chromium.open(session.page())
      await serves(tab)
      await tab.evaluate(async () => {
        for (let key = 1; key <= 50; key++) {
          testPage.setKey(key)
          // Some in one task, some in tasks of their own, some a frame apart.
          if (key % 3 === 0) await new Promise((resolve) => setTimeout(resolve))
          if (key % 10 === 0) await new Promise((resolve) => requestAnimationFrame(resolve))
        }
      })
      await serves(tab)
      expect(await session.call("client__web__add_note", { text: "after" })).toMatchObject({ text: "Added to 0.", is_error: false })
      // Over HTTP/1.1 the first is asked by `fetch` whether there are sockets, and given up for one.
      expect(session.seen("GET events")).toHaveLength(hasSockets ? 2 : 1)
      await eventually(() => session.streams).toBe(1)
      expect(session.seen("POST tool-clients")).toHaveLength(1)
      expect(session.seen("PUT tools")).toEqual([])
      expect(await session.clients()).toEqual(["web"])
      expect(await problemsOf(tab)).toEqual([])
    })
  })
}

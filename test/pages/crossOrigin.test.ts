import { describe, expect, test } from "vitest"
import { PREFLIGHT_MAX_AGE_SECONDS } from "../../src/server/cors.ts"
import { eventually } from "../e2e/support/eventually.ts"
import { serves, withChromium, withSite } from "./support/harness.ts"

const chromium = withChromium()

for (const hasSockets of [true, false]) {
  describe(`A page of another origin, its stream over ${hasSockets ? "a WebSocket" : "fetch"}`, () => {
    // Its pings come every second of the machine's clock.
    const site = withSite({ hasSockets, speed: 30 })

    test("One preflight for each URL, kept for two hours; the leaving ping needs none and arrives", async () => {
      const session = await site().createSession()
      const tab = await chromium.open(session.page({ from: site().otherOrigin, server: site().origin }))
      await serves(tab)
      for (const text of ["one", "two", "three"]) {
        expect(await session.call("client__web__add_note", { text })).toMatchObject({ is_error: false })
      }
      await eventually(() => session.seen("POST ping").length).toBeGreaterThanOrEqual(2)
      for (const path of ["tool-clients", "acks", "answers", "ping"]) {
        const [preflight, ...others] = session.seen(`OPTIONS ${path}`)
        expect(others, path).toEqual([])
        expect((await preflight?.response)?.headers.get("access-control-max-age"), path).toBe(String(PREFLIGHT_MAX_AGE_SECONDS))
      }
      expect(session.seen("POST answers")).toHaveLength(3)
      expect(session.seen("POST answers").map(({ origin }) => origin)).toEqual(Array(3).fill(site().otherOrigin))

      await tab.close()
      await eventually(() => session.clients()).toEqual([])
      expect(session.seen("POST ping").at(-1)?.body).toEqual({ leaving: true, revision: expect.any(Number) })
      expect(session.seen("OPTIONS ping")).toHaveLength(1)
    })

    test("A tab is closed before its first ping: the leaving ping arrives all the same, after its preflight", async () => {
      const session = await site().createSession()
      const tab = await chromium.open(session.page({ from: site().otherOrigin, server: site().origin, ttl: 600 }))
      await serves(tab)
      const release = site().hold("OPTIONS ping")
      await tab.close()
      await eventually(() => session.streams).toBe(0)
      expect(session.seen("POST ping")).toEqual([])
      release()
      await eventually(() => session.clients()).toEqual([])
      expect(session.seen("POST ping").map(({ body }) => body)).toEqual([{ leaving: true, revision: expect.any(Number) }])
      expect(session.seen("OPTIONS ping")).toHaveLength(1)
    })
  })
}

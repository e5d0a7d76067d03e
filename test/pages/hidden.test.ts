import { expect, test } from "vitest"
import { clientOf, serves, timed, withChromium, withSite } from "./support/harness.ts"
import type { Tab } from "./support/tab.ts"

// Chromium begins after five minutes; here after a second.
const chromium = withChromium(["--enable-features=IntensiveWakeUpThrottling:grace_period_seconds/1"])

/** A hidden page's code runs within this when something comes in, however much its timers are throttled. Milliseconds, on a busy machine. */
const PROMPT_MS = 10_000

/** Starts a timer as a naive client has one, to see what becomes of it. */
const startInterval = (tab: Tab): Promise<void> =>
  tab.evaluate(() => {
    let last = Date.now()
    setInterval(() => (last = Date.now()), 1_000)
    Object.assign(globalThis, { silence: () => Date.now() - last })
  })

const silenceOf = (tab: Tab): Promise<number> => tab.evaluate(() => (globalThis as unknown as { silence(): number }).silence())

const pages = [
  // Keep-alives come too late for it: its pings are the timer's, armed anew after each.
  { ttl: 4, site: withSite() },
  // The default ttl, and everything five times as fast, so that it would run out several times; all its timers are throttled.
  { ttl: 60, site: withSite({ speed: 5 }), chained: true },
]

/** Longer than each of them is kept without a ping, by the machine's clock. */
const SILENCE_MS = 13_000

test("Row 1. A tab hidden beyond intensive throttling stays registered and answers promptly; a handler sees what the call before has set", async () => {
  const opened = []
  // One after the other: a page that is hidden while it loads is throttled later.
  for (const { site, ...options } of pages) {
    const session = await site().createSession()
    const tab = await chromium.open(session.page({ ...options, slow: true }))
    await serves(tab)
    await startInterval(tab)
    opened.push({ session, tab })
  }
  await chromium.hideAll()

  await Promise.all(
    opened.map(async ({ session, tab }) => {
      expect(await tab.evaluate(() => document.visibilityState)).toBe("hidden")
      await expect.poll(() => silenceOf(tab), { timeout: 50_000, interval: 500 }).toBeGreaterThan(SILENCE_MS)
      expect(await session.clients()).toEqual(["web"])
      expect(session.seen("POST tool-clients")).toHaveLength(1)

      for (const [count, text] of ["hidden", "and again"].entries()) {
        const [answer, took] = await timed(session.call("client__web__add_note", { text }))
        // It says how many notes the handler has seen: those that the calls before have set.
        expect(answer).toMatchObject({ text: `Added to ${count}.`, is_error: false })
        expect(took).toBeLessThan(PROMPT_MS)
      }
      expect(await tab.evaluate(() => document.querySelectorAll("#notes li").length)).toBe(2)
      expect(await silenceOf(tab), "that no timer has come meanwhile").toBeGreaterThan(SILENCE_MS)
    }),
  )

  for (const { session, tab } of opened) {
    await tab.show()
    expect(await clientOf(tab)).toBe("serving as web")
    expect(await session.call("client__web__notes")).toMatchObject({ text: "hidden, and again" })
    expect(session.seen("POST tool-clients")).toHaveLength(1)
  }
})

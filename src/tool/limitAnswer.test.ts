import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { limitAnswer, MAX_RESULT_BYTES } from "./limitAnswer.ts"

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** Characters of one, two, three and four bytes, and the byte order mark, which decoders like to swallow. */
const text = fc.array(fc.constantFrom("a", "\n", "ä", "€", "\u{1f600}", "\ufeff"), { minLength: 80, maxLength: 400 }).map((units) => units.join(""))

describe("an answer", () => {
  it("that is short enough is the same object", () => {
    const answer = { text: "ä".repeat(10), is_error: false }
    expect(limitAnswer(answer, 20)).toBe(answer)
    expect(limitAnswer(answer)).toBe(answer)
    expect(limitAnswer(answer, 19)).not.toBe(answer)
  })

  it("that is too long keeps its head and tail and says how much is missing", () => {
    const answer = { text: `head${"x".repeat(2_000)}tail`, is_error: true }
    const { text, is_error } = limitAnswer(answer, 1_000)
    expect(is_error).toBe(true)
    const [, head, cut, total, tail] = /^(headx+)\n\[(\d+) of (\d+) bytes were cut out here[^\]]*\]\n(x+tail)$/.exec(text) ?? []
    expect(Number(total)).toBe(2_008)
    expect(bytesOf(head ?? "") + bytesOf(tail ?? "") + Number(cut)).toBe(2_008)
    expect(bytesOf(text)).toBeLessThanOrEqual(1_000)
    expect(bytesOf(text)).toBeGreaterThan(990)
  })

  it("is never longer than the limit, and never splits a character", () => {
    let cuts = 0
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 400 }), (text, maxBytes) => {
        const limited = limitAnswer({ text, is_error: false }, maxBytes).text
        expect(bytesOf(limited)).toBeLessThanOrEqual(maxBytes)
        expect(limited).not.toContain("\ufffd")
        const notice = /\n\[\d+ of \d+ bytes were cut out here[^\]]*\]\n/.exec(limited)
        if (bytesOf(text) <= maxBytes) expect(limited).toBe(text)
        else if (notice) {
          cuts++
          expect(text.startsWith(limited.slice(0, notice.index))).toBe(true)
          expect(text.endsWith(limited.slice(notice.index + notice[0].length))).toBe(true)
        }
      }),
      { numRuns: 500 },
    )
    expect(cuts).toBeGreaterThan(100)
  })

  it("is cut at 128 KiB where the tool sets no limit", () => {
    const { text } = limitAnswer({ text: "€".repeat(MAX_RESULT_BYTES), is_error: false })
    expect(bytesOf(text)).toBeLessThanOrEqual(MAX_RESULT_BYTES)
    expect(bytesOf(text)).toBeGreaterThan(MAX_RESULT_BYTES - 10)
  })
})

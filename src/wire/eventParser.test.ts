import { createParser } from "eventsource-parser"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createEventParser, type ParsedEvent } from "./eventParser.ts"

const MAX = 1_000
const tooLarge = (): never => {
  throw new Error("too large")
}

function parse(pieces: readonly string[]): readonly ParsedEvent[] {
  const events: ParsedEvent[] = []
  const feed = createEventParser((event) => events.push(event), MAX, tooLarge)
  for (const piece of pieces) feed(piece)
  return events
}

/** What another reader of event streams makes of it. */
function parseByPackage(pieces: readonly string[]): readonly ParsedEvent[] {
  const events: ParsedEvent[] = []
  const parser = createParser({ onEvent: ({ event, data, id }) => events.push({ type: event ?? "message", data, id }) })
  for (const piece of pieces) parser.feed(piece)
  return events
}

const PARTS = ["data", "event", "id", "retry", "x", ":", ": ", " ", "\n", "\r\n", "\n\n", "\0", "ä", "1", "data: a\n\n", "id:7\n"] as const

describe("the reader of an event stream", () => {
  it("reads any stream as another reader does, wherever its pieces end", () => {
    // A lone return at the end of a piece is where the other one waits, and this one need not: those are compared below.
    fc.assert(
      fc.property(fc.array(fc.array(fc.constantFrom(...PARTS), { maxLength: 12 }), { maxLength: 6 }), (pieces) => {
        const texts = pieces.map((parts) => parts.join(""))
        expect(parse(texts)).toEqual(parseByPackage(texts))
      }),
      { numRuns: 2_000 },
    )
  })

  it("reads the three ends of a line alike, cut at any character", () => {
    const stream = "id: 1\r\nevent: a\rdata: one\ndata:two\r\n\r\ndata\r\rdata: x\n\n"
    const expected = [
      { type: "a", data: "one\ntwo", id: "1" },
      { type: "message", data: "", id: undefined },
      { type: "message", data: "x", id: undefined },
    ]
    for (let at = 0; at <= stream.length; at++) expect(parse([stream.slice(0, at), "", stream.slice(at)])).toEqual(expected)
    expect(parse([...stream])).toEqual(expected)
  })

  it("says an event whose line ends with a return at once, and no second one for the line feed that follows", () => {
    expect(parse(["data: x\r\r"])).toEqual([{ type: "message", data: "x", id: undefined }])
    expect(parse(["data: x\r", "\ndata: y\r", "\n\r", "\n"])).toEqual([{ type: "message", data: "x\ny", id: undefined }])
  })

  it("says no event that was not ended, and none without data, whose type and id are forgotten", () => {
    expect(parse(["data: x\n"])).toEqual([])
    expect(parse(["event: a\nid: 1\n\ndata: x\n\n"])).toEqual([{ type: "message", data: "x", id: undefined }])
  })

  it("refuses an event that grows beyond its limit, in one line or in many, and takes many that are below it", () => {
    const line = `data: ${"x".repeat(90)}\n`
    expect(() => parse(["data: ", "x".repeat(MAX)])).toThrow("too large")
    expect(() => parse(Array.from({ length: 12 }, () => line))).toThrow("too large")
    expect(parse(Array.from({ length: 100 }, () => `${line}\n`))).toHaveLength(100)
  })

  it("takes a long line in many pieces in time that grows with its length alone", () => {
    let found = 0
    const feed = createEventParser(() => found++, Infinity, tooLarge)
    feed("data: ")
    for (let count = 0; count < 20_000; count++) feed("0123456789".repeat(10))
    feed("\n\n")
    expect(found).toBe(1)
  })
})

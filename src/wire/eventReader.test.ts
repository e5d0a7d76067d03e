import { createParser } from "eventsource-parser"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createEventReader, type StreamedEvent } from "./eventReader.ts"

function readParts(parts: readonly string[]): StreamedEvent[] {
  const events: StreamedEvent[] = []
  const read = createEventReader((event) => events.push(event))
  for (const part of parts) read(part)
  return events
}

/** What others read of the same. */
function parseParts(parts: readonly string[]): StreamedEvent[] {
  const events: StreamedEvent[] = []
  const parser = createParser({ onEvent: ({ event = "message", data, id }) => events.push({ type: event, data, id }) })
  for (const part of parts) parser.feed(part)
  return events
}

const WORDS = ["data", "id", "event", "retry", "datas", ":", ":", " ", "\n", "\n", "\r\n", "\r", "x", "ü", "\u2028", "\0"]

describe("what is read of an event stream", () => {
  it("is what eventsource-parser reads, whatever comes and wherever it is cut", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...WORDS), { maxLength: 60 }), fc.array(fc.nat({ max: 120 }), { maxLength: 6 }), (words, cuts) => {
        // Ends with a comment line, so that a CR at the very end is known to be one.
        const text = `${words.join("")}\n\n:\n`
        const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length]
        const parts = places.slice(1).map((place, index) => text.slice(places[index], place))
        expect(readParts(parts)).toEqual(parseParts([text]))
      }),
      { numRuns: 5_000 },
    )
  })

  it("is whole where it comes in many parts", () => {
    const part = "x".repeat(64 * 1024)
    expect(readParts(["data: ", ...Array.from({ length: 100 }, () => part), "\n\n"])).toEqual([{ type: "message", data: part.repeat(100), id: undefined }])
  })
})

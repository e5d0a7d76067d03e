import { describe, expect, expectTypeOf, it } from "vitest"
import { systemClock } from "../lib/clock.ts"
import { createTestSession } from "./createTestSession.ts"
import type { FakeClock } from "./fakeClock.ts"
import "./vitest.ts"

const session = createTestSession()

describe("a test session", () => {
  it("has a clock that can be moved, or the one that it was given", () => {
    expectTypeOf(session.clock).toEqualTypeOf<FakeClock>()
    expectTypeOf(createTestSession({ clock: systemClock }).clock).toEqualTypeOf(systemClock)
  })

  it("gives requests by their type", () => {
    expectTypeOf(session.requests("update")[0]?.tools).toEqualTypeOf<readonly string[] | undefined>()
    expectTypeOf(session.requests("answer")[0]?.callId).toEqualTypeOf<string | undefined>()
    // @ts-expect-error No such request.
    session.requests("upload")
  })
})

describe("the matchers", () => {
  it("know what they are asked", () => {
    expect(session).toHavePublished("add", { description: expect.any(String) })
    expect(session).not.toHaveAnswered("add", { is_error: true })
    expect(session).toHaveAnswered("add", /text/)
    expect(session).toHaveSent({ update: 1 })
    // @ts-expect-error A tool has no such part.
    expect(session).toHavePublished("add", { descriptoin: "Adds." })
    // @ts-expect-error An answer has no such part.
    expect(session).toHaveAnswered("add", { error: true })
    // @ts-expect-error No such request.
    expect(session).toHaveSent({ upload: 1 })
    // @ts-expect-error Which tool?
    expect(session).toHavePublished()
  })
})

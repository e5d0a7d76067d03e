import { describe, expect, it } from "vitest"
import { isRetryable, SessionError, type SessionErrorCode } from "./sessionError.ts"

describe("a session's error", () => {
  it("keeps its code, its status, what the server asked for and its cause", () => {
    const cause = new TypeError("fetch failed")
    const error = new SessionError("unavailable", "Not now.", { cause, status: 503, retryAfterMs: 2_000 })
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ name: "SessionError", code: "unavailable", message: "Not now.", status: 503, retryAfterMs: 2_000 })
    expect(error.cause).toBe(cause)
  })

  it.each<[SessionErrorCode, boolean]>([
    ["network", true],
    ["unavailable", true],
    ["bad_stream", true],
    ["token", true],
    ["unauthorized", false],
    ["session_not_found", false],
    ["tool_client_not_found", false],
    ["settled", false],
    ["refused", false],
    ["bad_event", false],
    ["closed", false],
  ])("%s may pass: %s", (code, expected) => {
    expect(isRetryable(new SessionError(code, ""))).toBe(expected)
  })

  it.each([undefined, null, "network", new Error("network"), { code: "network" }])("what is none may not pass: %j", (error) => {
    expect(isRetryable(error)).toBe(false)
  })
})

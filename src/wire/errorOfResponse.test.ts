import { describe, expect, it } from "vitest"
import { errorOfResponse } from "./errorOfResponse.ts"
import type { SessionErrorCode } from "./sessionError.ts"

const said = (code: string) => ({ error: { code, message: `The server says ${code}.` } })
/** What a proxy answers: no JSON, so no body. */
const HTML = undefined

describe("what a status means", () => {
  it.each([200, 201, 204, 299])("%d is no error", (status) => {
    expect(errorOfResponse("GET /x", { status, body: HTML })).toBeUndefined()
  })

  it.each<[number, unknown, SessionErrorCode]>([
    [401, said("invalid_token"), "unauthorized"],
    [401, said("token_expired"), "unauthorized"],
    [401, HTML, "unauthorized"],
    [404, said("session_not_found"), "session_not_found"],
    [404, said("tool_client_not_found"), "tool_client_not_found"],
    [410, said("tool_client_not_found"), "tool_client_not_found"],
    [410, HTML, "tool_client_not_found"],
    [409, said("call_settled"), "settled"],
    [404, said("tool_call_not_found"), "refused"],
    [404, said("not_found"), "refused"],
    [400, said("invalid_request"), "refused"],
    [403, said("not_your_call"), "refused"],
    [403, HTML, "refused"],
    [405, said("method_not_allowed"), "refused"],
    [413, said("body_too_large"), "refused"],
    [415, said("unsupported_media_type"), "refused"],
    [422, said("tool_name_too_long"), "refused"],
    // A proxy during a deploy speaks for itself.
    [404, HTML, "unavailable"],
    [404, {}, "unavailable"],
    [404, { error: "Not Found" }, "unavailable"],
    [404, { error: null }, "unavailable"],
    [404, null, "unavailable"],
    [404, "Not Found", "unavailable"],
    [0, HTML, "unavailable"],
    [302, HTML, "unavailable"],
    [304, HTML, "unavailable"],
    [408, HTML, "unavailable"],
    [425, HTML, "unavailable"],
    [429, said("too_many_calls"), "unavailable"],
    [500, said("internal_error"), "unavailable"],
    [502, HTML, "unavailable"],
    [503, said("server_closed"), "unavailable"],
    [599, HTML, "unavailable"],
  ])("%d with %j is %s", (status, body, code) => {
    expect(errorOfResponse("POST /x", { status, body })).toMatchObject({ name: "SessionError", code, status })
  })

  it("says what was asked, the status, and what the server said of it", () => {
    expect(errorOfResponse("PUT /tools", { status: 422, body: said("tool_name_too_long") })?.message).toMatch(
      /^PUT \/tools was answered 422 tool_name_too_long: The server says tool_name_too_long\.$/,
    )
  })

  it("says so where the server gave no reason", () => {
    expect(errorOfResponse("PUT /tools", { status: 502, body: HTML })?.message).toBe("PUT /tools was answered 502: the server gave no reason")
  })

  it.each([404, 405])("says what to look at where %d is somebody else's, and not where it is the server's", (status) => {
    expect(errorOfResponse("PUT /tools", { status, body: HTML })?.message).toMatch(/no reason\. Are baseUrl, its proxy and allowedOrigins right\?$/)
    expect(errorOfResponse("PUT /tools", { status, body: said("not_found") })?.message).not.toContain("baseUrl")
  })

  it.each<[unknown, number | undefined]>([[128, 128], [0, undefined], [-1, undefined], [1.5, undefined], [null, undefined], ["5", undefined], [undefined, undefined]])(
    "of a refusal that names %j as the most tools takes %j",
    (named, taken) => {
      expect(errorOfResponse("PUT /tools", { status: 400, body: { error: { code: "invalid_request", max_tools: named } } })?.maxTools).toBe(taken)
    },
  )

  it("keeps how long the server asks to wait", () => {
    expect(errorOfResponse("PUT /tools", { status: 503, body: HTML, retryAfterMs: 4_000 })?.retryAfterMs).toBe(4_000)
    expect(errorOfResponse("PUT /tools", { status: 503, body: HTML })?.retryAfterMs).toBeUndefined()
  })
})

import { describe, expect, it } from "vitest"
import { parseEvent } from "./parseEvent.ts"
import { SessionError } from "./sessionError.ts"

const DISPATCH = { call_id: "k", client_id: "c", tool: "add", arguments: { a: 1 }, deadline_ms: 300_000 }
const without = (field: keyof typeof DISPATCH) => Object.fromEntries(Object.entries(DISPATCH).filter(([key]) => key !== field))

const parse = (type: string, data: unknown) => parseEvent({ type, data: typeof data === "string" ? data : JSON.stringify(data) })

function refusalOf(type: string, data: unknown): SessionError {
  try {
    parse(type, data)
  } catch (error) {
    if (error instanceof SessionError) return error
    throw error
  }
  throw new Error(`"${type}" was not refused.`)
}

describe("an event of the stream", () => {
  it.each<[string, object]>([
    ["tool_call.dispatched", DISPATCH],
    ["tool_call.dispatched", { ...DISPATCH, arguments: null }],
    ["tool_call.dispatched", without("arguments")],
    ["tool_call.dispatched", { ...DISPATCH, deadline_ms: 0 }],
    ["tool_call.dispatched", { ...DISPATCH, said_by_a_newer_server: true }],
    ["tool_call.cancelled", { call_id: "k", reason: "cancelled" }],
    ["tool_call.settled", { call_id: "k", client_id: "c", is_error: false, reason: "answered" }],
    ["session.running", { running: true }],
    ["session.running", { running: false }],
  ])("%s is read as it came: %j", (type, data) => {
    expect(parse(type, data)).toEqual({ type, data })
  })

  it.each(["keep_alive", "resync", "tool_client.registered", "tool_client.expired", "message", "of_a_newer_server", "__proto__", "constructor", "toString", ""])(
    "that nobody acts on is passed over, whatever it holds: %j",
    (type) => {
      for (const data of ["{}", "", "no JSON", "null"]) expect(() => parse(type, data)).not.toThrow()
    },
  )

  it.each<[string, unknown, string]>([
    ["tool_call.dispatched", "{", "not JSON"],
    ["tool_call.dispatched", "", "not JSON"],
    ["tool_call.dispatched", "null", "call_id"],
    ["tool_call.dispatched", "5", "call_id"],
    ["tool_call.dispatched", "[]", "call_id"],
    ["tool_call.dispatched", without("call_id"), "call_id"],
    ["tool_call.dispatched", { ...DISPATCH, call_id: 7 }, "call_id"],
    ["tool_call.dispatched", without("client_id"), "client_id"],
    ["tool_call.dispatched", { ...DISPATCH, tool: null }, "tool"],
    ["tool_call.dispatched", { ...DISPATCH, deadline_ms: "300000" }, "deadline_ms"],
    ["tool_call.cancelled", {}, "call_id"],
    ["tool_call.settled", { call_id: null }, "call_id"],
    ["tool_client.deleted", { name: "web" }, "client_id"],
    ["session.running", { running: "yes" }, "running"],
    ["session.running", {}, "running"],
  ])("%s that is malformed is refused by name and field: %j", (type, data, part) => {
    const error = refusalOf(type, data)
    expect(error.code).toBe("bad_event")
    expect(error.message).toContain(`"${type}"`)
    expect(error.message).toContain(part)
  })

  it("may hold a key named __proto__, which changes nothing else", () => {
    const event = parse("tool_call.dispatched", JSON.stringify(DISPATCH).replace('{"a":1}', '{"__proto__":{"isAdmin":true}}'))
    const { arguments: args } = event?.data as { arguments: object }
    expect(Object.keys(args)).toEqual(["__proto__"])
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype)
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined()
  })

  it("does not take a field from the prototype of its data", () => {
    expect(refusalOf("tool_call.cancelled", '{"__proto__":{"call_id":"k"}}').code).toBe("bad_event")
  })
})

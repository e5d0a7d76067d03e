import fc from "fast-check"
import { type ActionRequest, type ActionResponse, createItemStore, type ToolItem } from "react-tool-client/tools"
import { describe, expect, it } from "vitest"
import { readActionError, readActionRequest, readActionResponse } from "../../src/action/envelope.ts"

const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
const json = fc.jsonValue({ maxDepth: 4 }).map(sent)
/** Any JSON object with a type, its other keys as odd as they like. */
const item = fc
  .tuple(fc.dictionary(fc.oneof(fc.string(), fc.constant("__proto__")), json, { noNullPrototype: true }), fc.string({ minLength: 1 }))
  .map(([rest, type]) => sent(Object.fromEntries([...Object.entries(rest), ["type", type]])) as ToolItem)
const items = fc.array(item, { maxLength: 4 })

describe("the envelope", () => {
  it("carries any JSON value as an input, a resumption and items", async () => {
    const request = fc.record({ input: json, resumption: fc.option(fc.record({ state: json, answer: json }), { nil: undefined }), items })
    await fc.assert(
      fc.asyncProperty(request, async (value: ActionRequest) => {
        const read = await readActionRequest(sent(value))
        expect(read.ok && JSON.stringify(read.value)).toBe(JSON.stringify(sent(value)))
      }),
    )
  })

  it("carries any JSON value as a result, and as an interrupt's data and state", async () => {
    const response: fc.Arbitrary<ActionResponse> = fc.oneof(
      fc.record({ status: fc.constant("completed" as const), result: json, items }),
      fc.record({ status: fc.constant("interrupted" as const), message: fc.string(), data: json, state: json, items }),
    )
    await fc.assert(
      fc.asyncProperty(response, async (value) => {
        const read = await readActionResponse(sent(value))
        expect(read.ok && JSON.stringify(read.value)).toBe(JSON.stringify(sent(value)))
      }),
    )
  })

  it("keeps any item in a store as it was", () => {
    fc.assert(
      fc.property(items, (all) => {
        expect(JSON.stringify(createItemStore(all).list())).toBe(JSON.stringify(all))
      }),
    )
  })

  it.each([
    [readActionRequest, null, []],
    [readActionRequest, { items: {} }, ["items"]],
    [readActionRequest, { items: [{ type: "" }] }, ["items", 0]],
    [readActionRequest, { resumption: 1 }, ["resumption"]],
    [readActionResponse, { status: "done", items: [] }, ["status"]],
    [readActionResponse, { status: "completed", result: 1 }, ["items"]],
    [readActionResponse, { status: "interrupted", items: [] }, ["message"]],
    [readActionResponse, [], []],
    [readActionError, { error: { code: "odd", message: "" } }, ["error", "code"]],
    [readActionError, { error: "no" }, ["error"]],
  ])("is refused with the path of what is wrong (%#)", async (read, value, path) => {
    const result = await read(value)
    expect(result.ok ? undefined : result.issues.map((issue) => issue.path)).toContainEqual(path)
  })
})

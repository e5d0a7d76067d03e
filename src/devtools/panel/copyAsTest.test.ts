import ts from "typescript"
import { describe, expect, it } from "vitest"
import type { CallTrace } from "../recorder/history.ts"
import { copyAsTest, literal } from "./copyAsTest.ts"

function trace(args: unknown, text: string, isError = false): CallTrace {
  return {
    callId: "c",
    client: "web",
    tool: "add_todo",
    copies: 1,
    deadline: undefined,
    ackedAt: undefined,
    answeringAt: undefined,
    cancelled: undefined,
    record: { callId: "c", tool: "add_todo", arguments: args, receivedAt: 0, approvals: [], phase: "answered", answer: { text, is_error: isError }, error: undefined },
  }
}

describe("copyAsTest", () => {
  it("makes the call again, and expects the same answer", () => {
    const code = copyAsTest(trace({ title: "milk", "due-on": null }, 'Added "milk".'))
    expect(code).toContain('session.callTool("add_todo", { title: "milk", "due-on": null })')
    expect(code).toContain('toMatchObject({ is_error: false, text: "Added \\"milk\\"." })')
  })

  it("is TypeScript, whatever the arguments and the answer are", () => {
    const odd = trace({ text: "`${'\u2028</script>\n", deep: [[{ a: [1, -0.5, true, null] }], []], "": {} }, 'a\n"b"\\', true)
    const { diagnostics } = ts.transpileModule(copyAsTest(odd), { reportDiagnostics: true, compilerOptions: { jsx: ts.JsxEmit.ReactJSX } })
    expect(diagnostics).toEqual([])
  })
})

it("A literal is broken over lines when it is long", () => {
  expect(literal({ a: 1 })).toBe("{ a: 1 }")
  expect(literal(Array.from({ length: 3 }, () => "x".repeat(40))).split("\n")).toHaveLength(5)
})

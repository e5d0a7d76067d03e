import type { CallTrace } from "../recorder/history.ts"

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/

/** A JSON value as a person would write it in TypeScript. */
export function literal(value: unknown, indent = ""): string {
  if (value === undefined) return "undefined"
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const isArray = Array.isArray(value)
  const inner = `${indent}  `
  const parts = isArray
    ? value.map((item) => literal(item, inner))
    : Object.entries(value).map(([key, item]) => `${IDENTIFIER.test(key) ? key : JSON.stringify(key)}: ${literal(item, inner)}`)
  const [open, close] = isArray ? ["[", "]"] : ["{", "}"]
  if (parts.length === 0) return open + close
  const pad = isArray ? "" : " "
  const line = `${open}${pad}${parts.join(", ")}${pad}${close}`
  const isShort = line.length + indent.length <= 100 && !line.includes("\n")
  return isShort ? line : `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${indent}${close}`
}

function titleOf({ tool, record }: CallTrace): string {
  const { answer } = record
  if (!answer) return `${tool} is called`
  return answer.is_error ? `${tool} tells the agent what went wrong` : `${tool} answers the agent`
}

/** A test that makes the call again, in the words of `react-tool-client/testing`. */
export function copyAsTest(trace: CallTrace): string {
  const { tool, record } = trace
  const args = literal(record.arguments ?? {}, "  ")
  const call = `await session.callTool(${JSON.stringify(tool)}, ${args})`
  const expected = record.answer
    ? `  expect(${call}).toMatchObject(${literal({ is_error: record.answer.is_error, text: record.answer.text }, "  ")})`
    : `  ${call}`
  return `import { renderWithSession } from "react-tool-client/testing/react"
import { expect, test } from "vitest"

test(${JSON.stringify(titleOf(trace))}, async () => {
  const { session } = await renderWithSession(
    <>{/* The component that offers ${JSON.stringify(tool)}. */}</>,
  )
  expect(session.published().map(({ name }) => name)).toContain(${JSON.stringify(tool)})
${expected}
})
`
}

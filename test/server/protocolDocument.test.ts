import { readdirSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"
import * as limits from "../../src/wire/limits.ts"
import * as serverLimits from "../../src/server/serverLimits.ts"

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8")
const document = read("../../docs/PROTOCOL.md")
const tests = readdirSync(new URL(".", import.meta.url))
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => read(name))
  .join("\n")
const titles = new Set([...tests.matchAll(/^test\((["'`])(.*?)\1, /gm)].map((match) => match[2]))

test("Each of the server's obligations in docs/PROTOCOL.md is the name of a test.", () => {
  const obligations = [...document.matchAll(/^- (.*)$/gm)].map((match) => match[1] ?? "").filter((line) => !/^An? (page|agent) /.test(line))
  expect(obligations.length).toBeGreaterThan(80)
  expect(obligations.filter((line) => !titles.has(line))).toEqual([])
})

test("Each numbered example of docs/PROTOCOL.md is a test.", () => {
  const examples = [...document.matchAll(/^### (\d+\. .*)$/gm)].map((match) => match[1])
  expect(examples).toHaveLength(10)
  expect(examples.filter((title) => !titles.has(title))).toEqual([])
})

test("Each error code of the server stands in docs/PROTOCOL.md, and no other.", () => {
  const union = /type SessionServerErrorCode =([^]*?)\n\n/.exec(read("../../src/server/sessionServerError.ts"))?.[1] ?? ""
  const codes = [...union.matchAll(/"(\w+)"/g)].map((match) => match[1])
  const table = document.slice(document.indexOf("## Errors"), document.indexOf("## Numbers"))
  const documented = [...table.matchAll(/^\| \d{3} \| (.*?) \|/gm)].flatMap((match) => [...(match[1] ?? "").matchAll(/`(\w+)`/g)].map((code) => code[1]))
  expect(documented.sort()).toEqual(codes.sort())
})

test("Each number of docs/PROTOCOL.md is the constant that it names.", () => {
  const numbers: Readonly<Record<string, unknown>> = { ...limits, ...serverLimits }
  const table = document.slice(document.indexOf("## Numbers"), document.indexOf("## Examples"))
  for (const [name, text] of [
    ["RESULT_DEADLINE_MS", `${limits.RESULT_DEADLINE_MS / 60_000} min`],
    ["KEEP_ALIVE_MS", `${limits.KEEP_ALIVE_MS / 1000} s`],
    ["STREAM_SILENCE_MS", `${limits.STREAM_SILENCE_MS / 1000} s`],
    ["ACK_TIMEOUT_MS", `${limits.ACK_TIMEOUT_MS / 1000} s`],
    ["LEAVING_GRACE_MS", `${serverLimits.LEAVING_GRACE_MS / 1000} s`],
    ["DELETED_MEMORY_MS", `${serverLimits.DELETED_MEMORY_MS / 60_000} min`],
    ["MODEL_NAME_MAX_LENGTH", `${limits.MODEL_NAME_MAX_LENGTH} characters`],
    ["NAME_SUFFIX_RESERVE", `${limits.NAME_SUFFIX_RESERVE} characters`],
    ["MAX_ACKS_PER_REQUEST", `${limits.MAX_ACKS_PER_REQUEST / 1000},000 at most`],
  ] as const) {
    expect(numbers).toHaveProperty(name)
    expect(table).toContain(`| ${text} | \`${name}\` |`)
  }
  expect(`_${serverLimits.MAX_NAME_SUFFIX}`).toHaveLength(limits.NAME_SUFFIX_RESERVE)
})

import { readdirSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8")
const document = read("../../docs/SECURITY.md")
const review = document.slice(document.indexOf("## Threats to the server"), document.indexOf("## What is not promised"))

/** `[file](../test/x.test.ts): "the name of a test"` */
const CITED = /\[[^\]]+\]\(\.\.\/(test\/[^)]+)\): "([^"]+)"/g

test("Each threat that docs/SECURITY.md names has its tests beside it, and each of them is there.", () => {
  const rows = review.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| threat") && !line.startsWith("| -"))
  expect(rows.length).toBeGreaterThanOrEqual(7)
  for (const row of rows) {
    const cited = [...row.matchAll(CITED)]
    expect(cited.length, row).toBeGreaterThan(0)
    for (const [, file = "", name = ""] of cited) expect(read(`../../${file}`), `${file}: ${name}`).toContain(name)
  }
})

test("Each test of test/server/security.test.ts stands in docs/SECURITY.md.", () => {
  const names = [...read("./security.test.ts").matchAll(/^test\("([^"]+)"/gm)].map(([, name]) => name ?? "")
  expect(names.length).toBeGreaterThan(4)
  expect(names.filter((name) => !review.includes(name))).toEqual([])
  expect(readdirSync(new URL(".", import.meta.url))).toContain("security.test.ts")
})

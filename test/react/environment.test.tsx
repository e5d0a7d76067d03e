// Each project that runs the React tests names its React in EXPECTED_REACT and whether it compiles in REACT_COMPILER:
// an alias or a plugin that silently does nothing fails here.
import { render, screen } from "@testing-library/react"
import { createElement, version } from "react"
import { version as domVersion } from "react-dom"
import { SessionProvider, useSession, useTool, useToolApproval, useToolCalls, useToolClient, useTools } from "react-tool-client"
import { expect, it } from "vitest"

function Greeting({ name }: { name: string }) {
  const words = ["hello", name]
  return <p>{words.join(" ")}</p>
}

it("runs the React that this project names, in one copy", () => {
  const expected = new RegExp(`^${process.env["EXPECTED_REACT"]}\\.`)
  expect(version).toMatch(expected)
  expect(domVersion).toBe(version)
  render(createElement(Greeting, { name: "ada" }))
  expect(screen.getByText("hello ada")).toBeDefined()
})

it.each([
  Greeting,
  SessionProvider,
  useSession,
  useTool,
  useToolApproval,
  useToolCalls,
  useToolClient,
  useTools,
])("has %o compiled by the React Compiler exactly where this project says so", (compiled) => {
  // The compiler's memo cache, `const $ = _c(4)`, as vitest rewrites it: `(0, import_0.c)(4)`.
  const isCompiled = /\bc\)?\(\d+\)/.test(compiled.toString())
  expect(isCompiled).toBe(process.env["REACT_COMPILER"] === "1")
})

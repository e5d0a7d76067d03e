// Each project that runs the React tests names its React in EXPECTED_REACT and whether it compiles in REACT_COMPILER:
// an alias or a plugin that silently does nothing fails here.
import { render, screen } from "@testing-library/react"
import { createElement, version } from "react"
import { version as domVersion } from "react-dom"
import {
  SessionProvider,
  useSession,
  useTool,
  useToolApproval,
  useToolCalls,
  useToolClient,
  useToolContext,
  useTools,
  useToolStatus,
} from "react-tool-client"
import { HubProvider } from "react-tool-client/hub/react"
import { useAction, useRemoteCall, useRemotes } from "react-tool-client/query"
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

// Those in which there is something to remember; a hook that the compiler cannot compile fails the project (scripts/vitest/reactCompiler.ts).
it.each([
  Greeting,
  SessionProvider,
  useSession,
  useTool,
  useToolApproval,
  useToolCalls,
  useToolClient,
  useToolContext,
  useTools,
  useToolStatus,
  HubProvider,
  useAction,
  useRemoteCall,
  useRemotes,
])("has %o compiled by the React Compiler exactly where this project says so", (compiled) => {
  // The compiler's memo cache, `const $ = _c(4)`, as vitest rewrites it: `(0, import_0.c)(4)`.
  const isCompiled = /\bc\)?\(\d+\)/.test(compiled.toString())
  expect(isCompiled).toBe(process.env["REACT_COMPILER"] === "1")
})

import { expect, it } from "vitest"
import { z } from "zod"
import { canonicalJson } from "./canonicalJson.ts"
import type { AnyTool } from "./tool.ts"
import { toolSpecOf } from "./toolSpecOf.ts"

const inline = (more: object = {}): AnyTool => ({
  description: "Add an item.",
  schema: z.object({ qty: z.number() }),
  execute: () => "ok",
  ...more,
})

it("publishes name, description and parameters, and nothing of how the tool runs", () => {
  expect(toolSpecOf("add", inline({ timeout: 5, concurrency: "serial", enabled: true, maxResultBytes: 5 }))).toStrictEqual({
    name: "add",
    description: "Add an item.",
    parameters: { type: "object", properties: { qty: { type: "number" } }, required: ["qty"] },
  })
})

it("publishes title, annotations and the output's JSON Schema where they are given", () => {
  const annotations = { readOnlyHint: true }
  const spec = toolSpecOf("add", inline({ title: "Add", annotations, output: z.object({ left: z.number() }) }))
  annotations.readOnlyHint = false
  expect(spec).toMatchObject({
    title: "Add",
    annotations: { readOnlyHint: true },
    output: { type: "object", properties: { left: { type: "number" } }, required: ["left"] },
  })
})

it("is equal by value for a definition that is built anew, and differs with what is published", () => {
  const key = canonicalJson(toolSpecOf("add", inline()))
  expect(canonicalJson(toolSpecOf("add", inline({ execute: () => "other", timeout: 9 })))).toBe(key)
  expect(canonicalJson(toolSpecOf("add", inline({ annotations: undefined, title: undefined })))).toBe(key)
  expect(canonicalJson(toolSpecOf("add", inline({ description: "Add." })))).not.toBe(key)
  expect(canonicalJson(toolSpecOf("add", inline({ schema: z.object({ qty: z.number().describe("pieces") }) })))).not.toBe(key)
})

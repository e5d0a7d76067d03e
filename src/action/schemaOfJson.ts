import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec"
import { fromJSONSchema, type ZodType } from "zod"
import { reasonOf } from "../tool/reason.ts"
import type { JsonSchema } from "../tool/toolSpec.ts"
import { ToolError } from "./toolError.ts"

/** A schema that checks values, and says itself as JSON Schema. */
export type DescribedSchema<Value = unknown> = StandardSchemaV1<Value, Value> & StandardJSONSchemaV1<Value, Value>

type Json = Readonly<Record<string, unknown>>

/** Values of these keys are data, and the keys of those in `MAPS` names: none of them is a keyword. */
const DATA = new Set(["const", "enum", "default", "examples"])
const MAPS = new Set(["properties", "$defs", "definitions"])

/**
 * What is left to the host: regular expressions, since one that a manifest brings may take for ever on a text that a model wrote (a
 * backtracking engine has no time limit); and descriptions, which check nothing.
 */
const LEFT_OUT = new Set(["pattern", "patternProperties", "title", "description", "examples", "$comment"])

function withoutPatterns(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutPatterns)
  if (typeof schema !== "object" || schema === null) return schema
  const hasPatterns = "patternProperties" in schema
  return Object.fromEntries(
    Object.entries(schema)
      // Which further properties there may be is then said by the patterns.
      .filter(([key]) => !LEFT_OUT.has(key) && !(hasPatterns && key === "additionalProperties"))
      .map(([key, value]) => {
        if (DATA.has(key)) return [key, value]
        if (MAPS.has(key) && typeof value === "object" && value !== null) {
          return [key, Object.fromEntries(Object.entries(value as Json).map(([name, one]) => [name, withoutPatterns(one)]))]
        }
        return [key, withoutPatterns(value)]
      }),
  )
}

/**
 * Rebuilds a schema from JSON Schema (draft 2020-12, 07 or 04). It refuses what the JSON Schema refuses, except that `pattern` is left
 * to the host; a value that passes is given back as it is, without defaults, since the host fills those in.
 *
 * Checking rejects with {@link ToolError} `bad_manifest` where the JSON Schema holds a keyword that cannot be checked here (`if`,
 * `not`, a `$ref` to elsewhere): that one tool cannot be called, others can.
 *
 * @param jsonSchema - The JSON Schema. It is frozen by nobody, and must not change.
 * @param tool - The tool's id, for errors.
 * @param place - What it is the schema of, for errors.
 */
export function schemaOfJson<Value = unknown>(jsonSchema: JsonSchema, tool: string, place: "input" | "output"): DescribedSchema<Value> {
  let built: ZodType | undefined
  const build = (): ZodType => {
    try {
      // A published schema has lost its `$schema`; what it calls its definitions tells the draft.
      const defaultTarget = "definitions" in jsonSchema ? "draft-7" : "draft-2020-12"
      return (built ??= fromJSONSchema(withoutPatterns(jsonSchema) as Parameters<typeof fromJSONSchema>[0], { defaultTarget }))
    } catch (cause) {
      throw new ToolError("bad_manifest", tool, `the JSON Schema of its ${place} cannot be checked here: ${reasonOf(cause)}`, { cause })
    }
  }
  function check(schema: ZodType, value: unknown): ReturnType<ZodType["safeParse"]> {
    try {
      return schema.safeParse(value)
    } catch (cause) {
      const problem = cause instanceof RangeError ? "it nests without end (a $ref that leads to itself), or is too large" : reasonOf(cause)
      throw new ToolError("bad_manifest", tool, `a value cannot be checked with the JSON Schema of its ${place}: ${problem}`, { cause })
    }
  }
  const write = (): Record<string, unknown> => ({ ...jsonSchema })
  return {
    "~standard": {
      version: 1,
      vendor: "react-tool-client",
      validate(value) {
        const { success, error } = check(build(), value)
        return success ? { value: value as Value } : { issues: error.issues }
      },
      jsonSchema: { input: write, output: write },
    },
  }
}

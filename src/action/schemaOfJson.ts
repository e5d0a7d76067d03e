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
 * How many schemas, and lists of them, a JSON Schema may hold: the time that the checker's making takes grows with the square of an
 * object's properties, and 4,000 take about a second.
 */
export const MAX_SCHEMA_PARTS = 4_000

/**
 * What is left to the host: regular expressions, since one that a manifest brings may take for ever on a text that a model wrote (a
 * backtracking engine has no time limit); and descriptions, which check nothing.
 */
const LEFT_OUT = new Set(["pattern", "patternProperties", "title", "description", "examples", "$comment"])

/** What is found on the way through a schema. */
interface Walk {
  parts: number
  /** Whether a property has a name that every object inherits. */
  hasInheritedName: boolean
}

function withoutPatterns(schema: unknown, walk: Walk): unknown {
  if (typeof schema !== "object" || schema === null) return schema
  if (++walk.parts > MAX_SCHEMA_PARTS) throw new RangeError(`it has more than ${MAX_SCHEMA_PARTS} parts`)
  if (Array.isArray(schema)) return schema.map((one) => withoutPatterns(one, walk))
  const hasPatterns = "patternProperties" in schema
  return Object.fromEntries(
    Object.entries(schema)
      // Which further properties there may be is then said by the patterns.
      .filter(([key]) => !LEFT_OUT.has(key) && !(hasPatterns && key === "additionalProperties"))
      .map(([key, value]) => {
        if (DATA.has(key)) return [key, value]
        if (MAPS.has(key) && typeof value === "object" && value !== null) {
          const entries = Object.entries(value as Json)
          if (key === "properties" && entries.some(([name]) => name in Object.prototype)) walk.hasInheritedName = true
          return [key, Object.fromEntries(entries.map(([name, one]) => [name, withoutPatterns(one, walk)]))]
        }
        return [key, withoutPatterns(value, walk)]
      }),
  )
}

/** A copy whose objects inherit nothing, for a checker that does not tell own properties from `constructor` and its like. */
function withoutPrototypes(value: unknown, copies: Map<object, object>): unknown {
  if (typeof value !== "object" || value === null) return value
  const known = copies.get(value)
  if (known) return known
  const isList = Array.isArray(value)
  const prototype: unknown = Object.getPrototypeOf(value)
  // Of anything else the checker says what it is.
  if (!isList && prototype !== Object.prototype && prototype !== null) return value
  const copy = (isList ? [] : Object.create(null)) as Record<string, unknown>
  copies.set(value, copy)
  for (const [key, one] of Object.entries(value)) copy[key] = withoutPrototypes(one, copies)
  return copy
}

/**
 * Rebuilds a schema from JSON Schema (draft 2020-12, 07 or 04). It refuses what the JSON Schema refuses, except that `pattern` is left
 * to the host; a value that passes is given back as it is, without defaults, since the host fills those in.
 *
 * Checking rejects with {@link ToolError} `bad_manifest` where the JSON Schema holds a keyword that cannot be checked here (`if`,
 * `not`, a `$ref` to elsewhere), or more than {@link MAX_SCHEMA_PARTS} parts: that one tool cannot be called, others can.
 *
 * @param jsonSchema - The JSON Schema. It is frozen by nobody, and must not change.
 * @param tool - The tool's id, for errors.
 * @param place - What it is the schema of, for errors.
 */
export function schemaOfJson<Value = unknown>(jsonSchema: JsonSchema, tool: string, place: "input" | "output"): DescribedSchema<Value> {
  let built: ZodType | undefined
  const walk: Walk = { parts: 0, hasInheritedName: false }
  function checkable(): unknown {
    walk.parts = 0
    return withoutPatterns(jsonSchema, walk)
  }
  const build = (): ZodType => {
    try {
      // A published schema has lost its `$schema`; what it calls its definitions tells the draft.
      const defaultTarget = "definitions" in jsonSchema ? "draft-7" : "draft-2020-12"
      return (built ??= fromJSONSchema(checkable() as Parameters<typeof fromJSONSchema>[0], { defaultTarget }))
    } catch (cause) {
      throw new ToolError("bad_manifest", tool, `the JSON Schema of its ${place} cannot be checked here: ${reasonOf(cause)}`, { cause })
    }
  }
  function check(schema: ZodType, value: unknown): ReturnType<ZodType["safeParse"]> {
    try {
      return schema.safeParse(walk.hasInheritedName ? withoutPrototypes(value, new Map()) : value)
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

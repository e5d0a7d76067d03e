import type { StandardSchemaV1 } from "@standard-schema/spec"
import type { ToolIssue } from "./toolError.ts"

export type Validation<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly issues: readonly ToolIssue[] }

const segmentOf = (segment: PropertyKey | StandardSchemaV1.PathSegment): string | number => {
  const key = typeof segment === "object" ? segment.key : segment
  return typeof key === "symbol" ? String(key) : key
}

/** Checks a value with any Standard Schema; issues come as they go over the wire. */
export async function validateValue<Schema extends StandardSchemaV1>(
  schema: Schema,
  value: unknown,
): Promise<Validation<StandardSchemaV1.InferOutput<Schema>>> {
  const result = await schema["~standard"].validate(value)
  if (!result.issues) return { ok: true, value: result.value as StandardSchemaV1.InferOutput<Schema> }
  return { ok: false, issues: result.issues.map(({ path = [], message }) => ({ path: path.map(segmentOf), message })) }
}

import { z } from "zod"
import type { JsonSchema } from "../tool/toolSpec.ts"
import { isActionName } from "./actionNames.ts"
import { ToolError, type ToolIssue } from "./toolError.ts"
import { validateValue } from "./validateValue.ts"

/** The manifest's shape; a host of a later one may say other things. */
export const MANIFEST_FORMAT = 1

/** What a host says of itself: the one document from which types and tools of a client are made. */
export interface Manifest {
  readonly format: typeof MANIFEST_FORMAT
  /** A digest of all the rest: it changes exactly when anything that a client may see does. */
  readonly version: string
  readonly providers: readonly ManifestProvider[]
}

export interface ManifestProvider {
  readonly id: string
  readonly name: string
  readonly description?: string | undefined
  readonly actions: readonly ManifestAction[]
  readonly entities: readonly ManifestType[]
  readonly events: readonly ManifestType[]
}

export interface ManifestAction {
  readonly id: string
  /** Unique in the manifest: the key of the action's tool, here and on the host. */
  readonly functionName: string
  readonly name: string
  readonly description?: string | undefined
  /** What a call may give. */
  readonly input: JsonSchema
  /** What it gets. */
  readonly output: JsonSchema
}

/** An entity or an event: data with a schema. */
export interface ManifestType {
  readonly id: string
  readonly name: string
  readonly description?: string | undefined
  readonly schema: JsonSchema
}

const jsonSchema = z.custom<JsonSchema>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "a JSON Schema is an object",
)
const text = z.string().min(1)
const described = { id: text, name: z.string(), description: z.string().optional() }
const functionName = text.refine(isActionName, "not a name that code can call")

const manifestShape = z.object({
  format: z.literal(MANIFEST_FORMAT),
  version: text,
  providers: z.array(
    z.object({
      ...described,
      actions: z.array(z.object({ ...described, functionName, input: jsonSchema, output: jsonSchema })),
      entities: z.array(z.object({ ...described, schema: jsonSchema })),
      events: z.array(z.object({ ...described, schema: jsonSchema })),
    }),
  ),
}) satisfies z.ZodType<Manifest>

/** Names that stand twice, with where. */
function repeatedNames({ providers }: Manifest): readonly ToolIssue[] {
  const seen = new Set<string>()
  return providers.flatMap(({ actions }, provider) =>
    actions.flatMap(({ functionName: name }, action) => {
      const isRepeated = seen.has(name)
      seen.add(name)
      const path = ["providers", provider, "actions", action, "functionName"]
      return isRepeated ? [{ path, message: `another action is called "${name}" too` }] : []
    }),
  )
}

/**
 * Reads a manifest from wherever it came.
 *
 * @throws ToolError `bad_manifest` for another format or shape, `bad_name` for a function name that no code can call or that stands twice
 */
export async function readManifest(value: unknown): Promise<Manifest> {
  const read = await validateValue(manifestShape, value)
  if (!read.ok) {
    const { format } = (value ?? {}) as { format?: unknown }
    if (format !== undefined && format !== MANIFEST_FORMAT) {
      throw new ToolError("bad_manifest", "", `the manifest has the format ${JSON.stringify(format)}, this client reads ${MANIFEST_FORMAT}; update the older side`)
    }
    const isName = read.issues.every(({ path }) => path.at(-1) === "functionName")
    throw new ToolError(isName ? "bad_name" : "bad_manifest", "", "the manifest cannot be read", { issues: read.issues })
  }
  const issues = repeatedNames(read.value)
  if (issues.length > 0) throw new ToolError("bad_name", "", "the manifest cannot be read", { issues })
  return read.value
}

import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec"
import { jsonValueOf } from "../tool/answer.ts"
import type { JsonSchema, ToolAnswer, ToolSpec } from "../tool/toolSpec.ts"
import { type DescribedSchema, schemaOfJson } from "./schemaOfJson.ts"
import { defineTool, type Tool } from "./tool.ts"
import { ToolError } from "./toolError.ts"

/** Who called, in the records of a tool client's calls. */
const VIA = "tools"

/** What is needed of a tool client: what it offers, and the way in which it answers callers within its page. */
export interface ToolClientTools {
  readonly local: {
    current(): ReadonlyMap<string, { readonly spec: ToolSpec }>
    call(tool: string, args: unknown, options?: { readonly signal?: AbortSignal | undefined; readonly via?: string | undefined }): Promise<ToolAnswer>
  }
}

/** As published. What cannot be checked here (see `schemaOfJson`) passes: the page checks by its own schema anyway. */
function inputOf(parameters: JsonSchema, id: string): DescribedSchema {
  const { jsonSchema, ...checked } = schemaOfJson(parameters, id, "input")["~standard"]
  const validate: StandardSchemaV1.Props["validate"] = (value) => {
    try {
      return checked.validate(value)
    } catch (error) {
      if (error instanceof ToolError && error.code === "bad_manifest") return { value }
      throw error
    }
  }
  return { "~standard": { ...checked, validate, jsonSchema } }
}

/** The page has checked it. */
function outputOf(output: JsonSchema = {}): StandardSchemaV1 & StandardJSONSchemaV1 {
  const write = (): Record<string, unknown> => ({ ...output })
  return { "~standard": { version: 1, vendor: "react-tool-client", validate: (value) => ({ value }), jsonSchema: { input: write, output: write } } }
}

/** The tools that a client offers right now; each call goes the way of a dispatched one, and finds what is offered then. */
export function fromToolClient({ local }: ToolClientTools, prefix: string): Readonly<Record<string, Tool>> {
  const toolOf = ({ name, title, description, parameters, output }: ToolSpec): Tool => {
    const id = `${prefix}.${name}`
    return defineTool({
      id,
      name: title ?? name,
      description,
      input: inputOf(parameters, id),
      output: outputOf(output),
      async execute(args, { signal }) {
        const answer = await local.call(name, args, { signal, via: VIA })
        if (answer.is_error) throw new Error(answer.text)
        return jsonValueOf(answer)
      },
    })
  }
  return Object.fromEntries([...local.current()].map(([name, { spec }]) => [name, toolOf(spec)]))
}

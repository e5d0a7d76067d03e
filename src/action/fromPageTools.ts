import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec"
import { systemClock } from "../lib/clock.ts"
import { randomId } from "../lib/randomId.ts"
import { copyJson } from "../tool/copyJson.ts"
import { outputOf, parametersOf } from "../tool/parameters.ts"
import { pathText } from "../tool/pathText.ts"
import { validate } from "../tool/arguments.ts"
import type { AnyTool } from "../tool/tool.ts"
import type { PersonAsked, ToolCall } from "../tool/toolCall.ts"
import { fromToolClient, type ToolClientTools } from "./fromToolClient.ts"
import type { DescribedSchema } from "./schemaOfJson.ts"
import { defineTool, type Tool, type ToolContext } from "./tool.ts"
import { checkToolMap } from "./toolMap.ts"

export interface FromPageToolsOptions {
  /** Stands before each tool's id: `{prefix}.{name}`. `@default` "page" */
  readonly prefix?: string | undefined
}

/** The page's own way to check, as a schema: what it has in hand passes as it checked it. */
function inputOf(name: string, tool: AnyTool): DescribedSchema {
  const write = (): Record<string, unknown> => ({ ...parametersOf(tool, name) })
  const check: StandardSchemaV1.Props["validate"] = async (value) => {
    if (tool.schema) return tool.schema["~standard"].validate(value)
    const read = await validate(undefined, tool.parse, value, "the arguments")
    return read.ok ? { value: read.value } : { issues: [{ message: read.text }] }
  }
  return { "~standard": { version: 1, vendor: "react-tool-client", validate: check, jsonSchema: { input: write, output: write } } }
}

/** What a call of the page's gives is JSON; a failure that it says by `{ text, is_error }` is thrown before. */
function resultSchema(name: string, tool: AnyTool): StandardSchemaV1 & StandardJSONSchemaV1 {
  const write = (): Record<string, unknown> => ({ ...outputOf(tool, name) })
  const check: StandardSchemaV1.Props["validate"] = async (value) => {
    const checked = tool.output ? await tool.output["~standard"].validate(value) : { value }
    if (checked.issues) return checked
    const copy = copyJson(checked.value)
    return copy.ok ? { value: copy.value } : { issues: [{ path: copy.path, message: `${pathText(copy.path) || "it"} is not JSON: ${copy.reason}` }] }
  }
  return { "~standard": { version: 1, vendor: "react-tool-client", validate: check, jsonSchema: { input: write, output: write } } }
}

/** A call that no server dispatched: nobody shows its progress, and no deadline is near. */
function callOf(tool: string, args: unknown, signal: AbortSignal | undefined): ToolCall {
  const asked: PersonAsked = { settle() {} }
  return {
    callId: randomId(),
    tool,
    arguments: args,
    signal: signal ?? new AbortController().signal,
    deadline: Infinity,
    clock: systemClock,
    progress() {},
    askPerson: () => asked,
  }
}

function failureIn(value: unknown): string | undefined {
  const { text, is_error } = (value ?? {}) as { text?: unknown; is_error?: unknown }
  return is_error === true && typeof text === "string" ? text : undefined
}

const isToolClient = (tools: object): tools is ToolClientTools =>
  typeof (tools as { readonly local?: { readonly call?: unknown } } | null)?.local?.call === "function"

/**
 * A page's tools as such a map, so that a script or an agent in the page calls them beside those of hosts.
 *
 * Of a tool client these are the tools that it offers at this moment, whoever declared them; a call goes the way of one that the server
 * dispatched: the last committed handler runs, in its turn, within its timeout, and is seen among the client's calls. Ask again when
 * `client.local.subscribe` tells that they changed.
 *
 * Of definitions `enabled: false` leaves one out; `timeout` and `concurrency` are a tool client's and do not hold for them.
 *
 * @throws TypeError for what is neither a tool client nor a map of tools
 * @example
 * const run = new AgentRun({ model, actions: { ...fromPageTools(useToolClient(session, "web")), ...client.toTools(manifest) } })
 */
export function fromPageTools(client: ToolClientTools, options?: FromPageToolsOptions): Readonly<Record<string, Tool>>
export function fromPageTools<Name extends string>(
  tools: Readonly<Record<Name, AnyTool>>,
  options?: FromPageToolsOptions,
): Readonly<Record<Name, Tool>>
export function fromPageTools(
  tools: ToolClientTools | Readonly<Record<string, AnyTool>>,
  { prefix = "page" }: FromPageToolsOptions = {},
): Readonly<Record<string, Tool>> {
  if (isToolClient(tools)) return fromToolClient(tools, prefix)
  checkToolMap("fromPageTools needs a tool client, or tools", tools)
  const toolOf = (name: string, tool: AnyTool): Tool => {
    const run: (args: unknown, call: ToolCall) => unknown = tool.execute
    return defineTool({
      id: `${prefix}.${name}`,
      name: tool.title ?? name,
      description: tool.description,
      input: inputOf(name, tool),
      output: resultSchema(name, tool),
      async execute(args: unknown, { signal }: ToolContext) {
        const value = await run(args, callOf(name, args, signal))
        const failure = failureIn(value)
        if (failure !== undefined) throw new Error(failure)
        return value
      },
    })
  }
  const entries = Object.entries<AnyTool>(tools).filter(([, tool]) => tool.enabled !== false)
  return Object.fromEntries(entries.map(([name, tool]) => [name, toolOf(name, tool)]))
}

import { parametersOf } from "../../tool/parameters.ts"
import { pathText } from "../../tool/pathText.ts"
import { reasonOf } from "../../tool/reason.ts"
import type { JsonSchema } from "../../tool/toolSpec.ts"
import { withoutNulls } from "./modelToolsArguments.ts"
import { type ModelProvider, PROVIDER_RULES, type ProviderRules } from "./modelToolsDialect.ts"
import { toNewestDraft } from "./modelToolsDraft.ts"
import { type Converted, formatOf, type ModelToolFormats } from "./modelToolsFormats.ts"
import { brokenLimit } from "./modelToolsLimits.ts"
import { createBudget, isSchema } from "./modelToolsMerge.ts"
import { nameOf } from "./modelToolsNames.ts"
import { objectRootOf } from "./modelToolsRoot.ts"
import { convertSchema, Inexpressible, type SchemaPath } from "./modelToolsSchema.ts"
import type { Tool } from "../tool.ts"

export type { ModelProvider } from "./modelToolsDialect.ts"
export type { AnthropicTool, GeminiTool, ModelToolFormats, OpenAiChatTool, OpenAiTool } from "./modelToolsFormats.ts"

/** A tool as a session server gives it; its other properties do not matter here. */
export interface DescribedTool {
  readonly name: string
  readonly description?: string | undefined
  /** JSON Schema of the arguments. */
  readonly parameters: JsonSchema
}

/**
 * Where a provider's tool says something else than the tool does:
 * - `left_out`: the provider would refuse the whole request for this tool; it is not among them.
 * - `not_strict`: the provider's strict mode cannot say it; the model may give arguments that the tool refuses.
 * - `renamed`: the provider does not take the name; `toCall` gives the tool's own back.
 * - `nullable`: an optional property that the model has to give, `null` for nothing; `toCall` leaves it out again.
 * - `dropped`: a keyword that the provider does not take. The model reads it in the description where it says a value's range.
 * - `rewritten`: said by other keywords, which take more.
 * - `narrowed`: said by other keywords, which take less.
 */
export type ModelToolDifferenceKind = "left_out" | "not_strict" | "renamed" | "nullable" | "dropped" | "rewritten" | "narrowed"

export interface ModelToolDifference {
  /** The tool's own name. */
  readonly tool: string
  /** Where in the arguments: `items[].size`; empty for the tool itself. */
  readonly path: string
  readonly kind: ModelToolDifferenceKind
  /** What differs, and what follows. */
  readonly text: string
}

export interface ModelToolsOptions {
  /**
   * Whether the provider shall hold the model to the schema, for each tool that it can be said for. Anthropic takes 20 such tools a
   * request, with 24 optional properties and 16 unions among them: those beyond are not strict. Gemini has no such mode.
   *
   * @default true for OpenAI, false for Anthropic
   */
  readonly strict?: boolean | undefined
}

/** Tools for a model, and the way back. */
export interface ModelTools<Provider extends ModelProvider> {
  /** For the provider's SDK, in the order given. */
  readonly tools: ModelToolFormats[Provider][]
  /** Everything that the provider's tools say otherwise. Empty where they say the same. */
  readonly differences: readonly ModelToolDifference[]
  /**
   * The call that a model's call means, by the tool's own name and with the arguments that it takes. A name that is none of these is given
   * back as it is.
   *
   * @param name - As the model called it.
   * @param args - As the model gave them: a value, or its JSON text (OpenAI). A text that is no JSON is given back as it is, for the tool
   * to refuse.
   */
  toCall(name: string, args: unknown): { readonly name: string; readonly arguments: unknown }
}

/** Anthropic: "Structured outputs", "Complexity limits", over all strict tools of a request. */
const STRICT_TOOLS_MAX = 20
const OPTIONAL_PROPERTIES_MAX = 24
const UNIONS_MAX = 16

type Tell = (kind: ModelToolDifferenceKind, path: SchemaPath, text: string) => void

/** Every name of a property, and where it stands. */
function* propertyNames(node: unknown, path: SchemaPath = []): Generator<readonly [string, SchemaPath]> {
  if (Array.isArray(node)) for (const one of node) yield* propertyNames(one, path)
  if (!isSchema(node)) return
  for (const [key, value] of Object.entries(node)) {
    if (["const", "enum", "default", "examples", "required"].includes(key)) continue
    if (key !== "properties" || !isSchema(value)) yield* propertyNames(value, path)
    else for (const [name, one] of Object.entries(value)) {
      yield [name, [...path, name]]
      yield* propertyNames(one, [...path, name])
    }
  }
}

const countOf = (schema: JsonSchema): { readonly optional: number; readonly unions: number } => {
  const text = JSON.stringify(schema)
  let optional = 0
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit)
    if (!isSchema(node)) return
    if (isSchema(node.properties)) optional += Object.keys(node.properties).length - (Array.isArray(node.required) ? node.required.length : 0)
    Object.values(node).forEach(visit)
  }
  visit(schema)
  return { optional, unions: (text.match(/"anyOf":\[|"type":\[/g) ?? []).length }
}

const toolsOf = (tools: readonly DescribedTool[] | Readonly<Record<string, Tool>>): readonly DescribedTool[] =>
  Array.isArray(tools)
    ? (tools as readonly DescribedTool[])
    : Object.entries(tools as Readonly<Record<string, Tool>>).map(([name, { description, name: title, input }]) => ({
        name,
        description: description ?? title,
        parameters: parametersOf({ schema: input }, name),
      }))

/**
 * Says tools as a model provider's API takes them, by its published rules: names, a root that is one object, and the subset of JSON Schema
 * of its strict mode. A request with one tool beyond those rules is refused as a whole. Whatever had to be said otherwise is among
 * `differences`; the tool itself checks its arguments as before.
 *
 * @param tools - As a session server lists them, or a map of tools by name.
 * @throws ToolDefinitionError where a tool of the map has an input that JSON Schema cannot say
 * @example
 * const model = toModelTools(await server.tools(sessionId), "openai")
 * const response = await openai.responses.create({ model: "...", input, tools: model.tools })
 * for (const item of response.output) {
 *   if (item.type !== "function_call") continue
 *   const call = model.toCall(item.name, item.arguments)
 *   const answer = await server.callTool(sessionId, call.name, call.arguments)
 * }
 */
export function toModelTools<Provider extends ModelProvider>(
  tools: readonly DescribedTool[] | Readonly<Record<string, Tool>>,
  provider: Provider,
  options: ModelToolsOptions = {},
): ModelTools<Provider> {
  const rules: ProviderRules = PROVIDER_RULES[provider]
  const { strict = rules.isStrictByDefault } = options
  const differences: ModelToolDifference[] = []
  /** By the name that the model knows. */
  const known = new Map<string, { readonly name: string; readonly root: JsonSchema; readonly givesNull: boolean }>()
  const formats: ModelToolFormats[Provider][] = []
  const spent = { tools: 0, optional: 0, unions: 0 }

  function strictOf(root: JsonSchema, tell: Tell): Converted | undefined {
    if (!strict || !rules.strict) return undefined
    const told: Parameters<Tell>[] = []
    try {
      const schema = { ...convertSchema(root, rules.strict, createBudget(), (...difference) => told.push(difference)) }
      const broken = rules.strict.limits && brokenLimit(schema, rules.strict.limits)
      if (broken !== undefined) throw new Inexpressible([], broken)
      if (provider === "anthropic") {
        const { optional, unions } = countOf(schema)
        if (spent.tools >= STRICT_TOOLS_MAX || spent.optional + optional > OPTIONAL_PROPERTIES_MAX || spent.unions + unions > UNIONS_MAX) {
          throw new Inexpressible([], `the tools before it have used up what a request may have: ${STRICT_TOOLS_MAX} strict tools, with ${OPTIONAL_PROPERTIES_MAX} optional properties and ${UNIONS_MAX} unions`)
        }
        spent.tools++
        spent.optional += optional
        spent.unions += unions
      }
      for (const difference of told) tell(...difference)
      return { schema, isStrict: true }
    } catch (error) {
      if (!(error instanceof Inexpressible)) throw error
      tell("not_strict", error.path, `strict mode cannot express it: ${error.message}; the model may give arguments that the tool refuses`)
      return undefined
    }
  }

  function looseOf(root: JsonSchema, tell: Tell): Converted {
    return { schema: { ...(rules.loose ? convertSchema(root, rules.loose, createBudget(), tell) : root) }, isStrict: false }
  }

  for (const { name, description = "", parameters } of toolsOf(tools)) {
    const tell: Tell = (kind, path, text) => differences.push({ tool: name, path: pathText(path), kind, text })
    try {
      const object = isSchema(parameters) ? objectRootOf(parameters, createBudget(), (kind, text) => tell(kind, [], text)) : undefined
      const root = object && toNewestDraft(object, tell)
      if (!root) {
        tell("left_out", [], "its parameters are not an object")
        continue
      }
      const [refused] = rules.propertyName ? [...propertyNames(root)].filter(([property]) => !rules.propertyName?.test(property)) : []
      if (refused) {
        tell("left_out", refused[1], `the provider does not accept this property name, only ${String(rules.propertyName)}`)
        continue
      }
      const converted = strictOf(root, tell) ?? looseOf(root, tell)
      const modelName = nameOf(name, rules.name, known)
      if (modelName !== name) tell("renamed", [], `the model knows it as "${modelName}"`)
      known.set(modelName, { name, root, givesNull: converted.isStrict && rules.strict?.needsAll === true })
      formats.push(formatOf(provider, modelName, description, converted) as ModelToolFormats[Provider])
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      tell("left_out", [], reasonOf(error))
    }
  }

  return {
    tools: formats,
    differences,
    toCall(name, args) {
      const tool = known.get(name)
      const value = parsed(args)
      return { name: tool?.name ?? name, arguments: tool?.givesNull ? withoutNulls(value, tool.root, tool.root) : value }
    },
  }
}

/** OpenAI's models write their arguments as text. */
function parsed(args: unknown): unknown {
  if (typeof args !== "string") return args
  try {
    return JSON.parse(args) as unknown
  } catch {
    return args
  }
}

import type { StandardSchemaV1 } from "@standard-schema/spec"
import type { Services } from "./services.ts"
import type { ToolContext } from "./tool.ts"

/** What an action is told of its call: all that a tool is, and the server's services. */
export interface ActionContext extends ToolContext {
  readonly services: Services
}

/** Something that a provider can do, on the server: a tool that still needs its services. */
export interface Action<Input extends StandardSchemaV1 = StandardSchemaV1, Output extends StandardSchemaV1 = StandardSchemaV1> {
  /** Unique in its provider. */
  readonly id: string
  /** For people. */
  readonly name: string
  /** For models. */
  readonly description?: string | undefined
  /** What it takes: an object, as models' function calling needs it. */
  readonly input: Input
  readonly output: Output
  /** Runs with the input schema's output; what it returns is the output schema's input. */
  execute(
    input: StandardSchemaV1.InferOutput<Input>,
    context: ActionContext,
  ): StandardSchemaV1.InferInput<Output> | Promise<StandardSchemaV1.InferInput<Output>>
}

/** An entity that a provider keeps, or an event that it tells of: data with a schema. */
export interface ProviderType {
  /** Unique among the provider's entities, or its events. */
  readonly id: string
  readonly name: string
  readonly description?: string | undefined
  readonly schema: StandardSchemaV1
}

export interface Provider {
  /** Unique in its registry. */
  readonly id: string
  readonly name: string
  readonly description?: string | undefined
  readonly actions: readonly Action[]
  /** @default none */
  readonly entities?: readonly ProviderType[] | undefined
  /** @default none */
  readonly events?: readonly ProviderType[] | undefined
}

/**
 * Gives the action back as it is: it is there for its types, inferred from the schemas. Input is checked before it runs and output
 * after, by {@link toTool}.
 *
 * @example
 * const add = defineAction({
 *   id: "add",
 *   name: "Add",
 *   input: z.object({ a: z.number(), b: z.number() }),
 *   output: z.object({ sum: z.number() }),
 *   execute: ({ a, b }) => ({ sum: a + b }),
 * })
 */
export function defineAction<Input extends StandardSchemaV1, Output extends StandardSchemaV1>(
  action: Action<Input, Output>,
): Action<Input, Output> {
  return Object.freeze(action)
}

/** Gives the provider back as it is, typed. */
export function defineProvider<const Given extends Provider>(provider: Given): Given {
  return Object.freeze(provider)
}

import type { StandardSchemaV1 } from "@standard-schema/spec"
import { reasonOf } from "../tool/reason.ts"
import type { ToolItems } from "./items.ts"
import { jsonOf } from "./jsonOf.ts"
import { ToolError } from "./toolError.ts"
import { ToolInterrupt } from "./toolInterrupt.ts"
import { untilAborted } from "./untilAborted.ts"
import { validateValue } from "./validateValue.ts"

/** Where a tool says what it does; `console` is one. */
export interface Logger {
  debug(message: string, ...details: unknown[]): void
  info(message: string, ...details: unknown[]): void
  warn(message: string, ...details: unknown[]): void
  error(message: string, ...details: unknown[]): void
}

/** The caller's answer to an interrupt: what was asked, and what came back. */
export interface ToolResumption {
  /** The interrupted tool's own state, as its `ToolInterrupt` carried it. */
  readonly state: unknown
  /** What the person, or whoever was asked, answered. */
  readonly answer: unknown
}

/** All that a tool may know of the one who calls it. Whatever else it needs is bound in when it is made. */
export interface ToolContext {
  readonly logger: Logger
  readonly userId?: string | undefined
  /** Set when the call continues one that was interrupted. */
  readonly resumption?: ToolResumption | undefined
  /** The conversation's items, to read and to add to. */
  readonly items?: ToolItems | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * A callable that does not tell where it runs: a function in this process or a round trip. Its schemas hold in both.
 *
 * `execute` rejects with a `ToolInterrupt` when it must wait for somebody, else with a {@link ToolError}: its `code` says whether a
 * schema refused input or output, the tool itself threw, the caller gave up, or no host answered.
 */
export interface Tool<Input extends StandardSchemaV1 = StandardSchemaV1, Output extends StandardSchemaV1 = StandardSchemaV1> {
  /** Unique among the tools of one map: `{providerId}.{actionId}` for a provider's action. */
  readonly id: string
  /** For people. */
  readonly name: string
  /** For models. */
  readonly description?: string | undefined
  readonly input: Input
  readonly output: Output
  execute(input: StandardSchemaV1.InferInput<Input>, context: ToolContext): Promise<StandardSchemaV1.InferOutput<Output>>
}

export interface ToolDefinition<Input extends StandardSchemaV1, Output extends StandardSchemaV1>
  extends Omit<Tool<Input, Output>, "execute"> {
  /** Runs with the input schema's output; what it returns is the output schema's input. */
  execute(
    input: StandardSchemaV1.InferOutput<Input>,
    context: ToolContext,
  ): StandardSchemaV1.InferInput<Output> | Promise<StandardSchemaV1.InferInput<Output>>
}

const isSchema = (value: unknown): boolean => typeof (value as Partial<StandardSchemaV1> | null | undefined)?.["~standard"]?.validate === "function"

/** @throws TypeError which says what is missing: found when the tool is made, not when a model calls it */
function checkDefinition(definition: unknown): void {
  const { id, input, output, execute } = (definition ?? {}) as Partial<ToolDefinition<StandardSchemaV1, StandardSchemaV1>>
  if (typeof id !== "string" || id === "") throw new TypeError("A tool needs an id, a non-empty string.")
  if (!isSchema(input)) throw new TypeError(`The tool "${id}" needs an input that is a Standard Schema, such as z.object({}).`)
  if (!isSchema(output)) throw new TypeError(`The tool "${id}" needs an output that is a Standard Schema, such as z.string().`)
  if (typeof execute !== "function") throw new TypeError(`The tool "${id}" needs a function \`execute\`.`)
}

/**
 * A tool whose schemas hold. Interrupts and {@link ToolError}s of `execute` pass as they are, anything else that it throws is `failed`.
 * An abort rejects at once, also where `execute` does not listen to the signal.
 */
export function createTool<Input extends StandardSchemaV1, Output extends StandardSchemaV1>(
  definition: ToolDefinition<Input, Output>,
): Tool<Input, Output> {
  checkDefinition(definition)
  const { id, name, description, input: inputSchema, output: outputSchema } = definition

  async function run(input: unknown, context: ToolContext): Promise<StandardSchemaV1.InferOutput<Output>> {
    const read = await validateValue(inputSchema, input)
    if (!read.ok) throw new ToolError("invalid_input", id, "its input was refused", { issues: read.issues })
    context.signal?.throwIfAborted()
    const written = await validateValue(outputSchema, await definition.execute(read.value, context))
    if (!written.ok) throw new ToolError("invalid_output", id, "its result does not match its output schema", { issues: written.issues })
    return written.value
  }

  return Object.freeze<Tool<Input, Output>>({
    id,
    name,
    description,
    input: inputSchema,
    output: outputSchema,
    async execute(input, context) {
      // Without types it is easily forgotten.
      if (typeof context !== "object" || (context as ToolContext | null) === null) {
        throw new ToolError("failed", id, "it did not run: execute needs a context as its second argument, with a logger at least: { logger: console }")
      }
      const { signal } = context
      try {
        return await untilAborted(signal, () => run(input, context))
      } catch (thrown) {
        if (thrown instanceof ToolInterrupt || thrown instanceof ToolError) throw thrown
        if (signal?.aborted) throw new ToolError("aborted", id, "the caller gave up; it may have run", { cause: signal.reason })
        throw failureOf(thrown, id)
      }
    },
  })
}

const failureOf = (thrown: unknown, id: string): ToolError => new ToolError("failed", id, reasonOf(thrown), { cause: thrown })

/**
 * Makes a tool whose input is checked before it runs and whose output is checked after, wherever it runs. Its result is what JSON makes
 * of it, as it would be from another host: a date comes as its text, so let the schema say a text (`z.iso.datetime()`).
 *
 * @throws TypeError for a definition without an id, a schema or `execute`
 * @example
 * const add = defineTool({
 *   id: "demo.add",
 *   name: "Add",
 *   input: z.object({ a: z.number(), b: z.number() }),
 *   output: z.object({ sum: z.number() }),
 *   execute: ({ a, b }) => ({ sum: a + b }),
 * })
 */
export function defineTool<Input extends StandardSchemaV1, Output extends StandardSchemaV1>(
  definition: ToolDefinition<Input, Output>,
): Tool<Input, Output> {
  checkDefinition(definition)
  const { id } = definition
  const tool = createTool({
    ...definition,
    async execute(input, context) {
      try {
        return await definition.execute(input, context)
      } catch (thrown) {
        // The error of another tool that this one called: not this one's input, nor this one that was not found.
        throw thrown instanceof ToolError ? failureOf(thrown, id) : thrown
      }
    },
  })
  return Object.freeze<Tool<Input, Output>>({
    ...tool,
    async execute(input, context) {
      try {
        return jsonOf(await tool.execute(input, context), id, "invalid_output", "result")
      } catch (thrown) {
        if (!(thrown instanceof ToolInterrupt)) throw thrown
        const { message, data, state } = thrown
        throw new ToolInterrupt(message, { data: jsonOf(data, id, "invalid_output", "data"), state: jsonOf(state, id, "invalid_output", "state") })
      }
    },
  })
}

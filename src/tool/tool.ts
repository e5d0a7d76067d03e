/**
 * What a developer writes to offer a tool: the three spellings of a definition, and the typing that infers `execute`'s arguments
 * from each. No checks and no behaviour, except the identity helper `pageTool`.
 */

import type { StandardSchemaV1 } from "@standard-schema/spec"
import type { ToolCall } from "./toolCall.ts"
import type { JsonSchema, ToolAnnotations, ToolAnswer } from "./toolSpec.ts"

/**
 * How calls of one tool that overlap are run: all at once (`parallel`), one after the other in the order they came (`serial`), or
 * only the newest (`latest`: a new call aborts the one that runs, which is answered with an error saying so).
 */
export type ToolConcurrency = "parallel" | "serial" | "latest"

/** What every tool has, whichever way it says what it takes. */
export interface ToolOptions {
  /** What the tool does and when to use it, for the model. Must not be empty. */
  readonly description: string
  /**
   * A short name for people.
   *
   * @default the tool's name
   */
  readonly title?: string | undefined
  /**
   * Hints for the agent, published as they are; never a permission.
   *
   * @default none
   */
  readonly annotations?: ToolAnnotations | undefined
  /**
   * `false` stops offering the tool; a call that comes nevertheless is answered with an error.
   *
   * @default true
   */
  readonly enabled?: boolean | undefined
  /**
   * Milliseconds after which `call.signal` aborts; off while a person is asked. The tool then has one second to answer in its own words
   * (`ABORT_GRACE_MS`); if it does not, the model is answered that the call was aborted and may have run in part.
   *
   * @default no limit but the server's deadline
   */
  readonly timeout?: number | undefined
  /**
   * What happens to calls that overlap.
   *
   * @default "parallel"
   */
  readonly concurrency?: ToolConcurrency | undefined
  /**
   * Bytes of UTF-8 above which an answer is cut, with a notice to the model.
   *
   * @default 131072 (128 KiB)
   */
  readonly maxResultBytes?: number | undefined
}

/**
 * A value that an answer can be made of: a string, or what `JSON.stringify` can say. Functions, symbols, bigints, maps, sets and
 * typed arrays are no such values; those that hide deeper in an object are found when the answer is made.
 */
export type ToolValue = string | number | boolean | null | undefined | void | JsonObjectLike

/** Any object or array that JSON may say; interfaces need no index signature. What has one of the two symbols is none. */
type JsonObjectLike = object & {
  /** Functions have it. */
  readonly [Symbol.hasInstance]?: never
  /** Maps, sets, promises, buffers and typed arrays have it. */
  readonly [Symbol.toStringTag]?: never
}

/** What `execute` may return: a string, `{ text, is_error }`, any other JSON value, nothing, or a promise of one of them. */
export type ToolResult = ToolValue | PromiseLike<ToolValue>

/** An answer by which `execute` says that it failed; it is never checked against the `output` schema. */
export interface ToolFailure extends ToolAnswer {
  readonly is_error: true
}

/** Any schema whose input `execute` may return: what stands for `output` where none is given. */
export type AnyOutput = StandardSchemaV1<ToolValue, unknown>

/** What `execute` may return: what the `output` schema `O` takes (any {@link ToolValue} without one), or a failure; now or later. */
export type ResultOf<O extends StandardSchemaV1> =
  | StandardSchemaV1.InferInput<O>
  | ToolFailure
  | PromiseLike<StandardSchemaV1.InferInput<O> | ToolFailure>

/** The part of a definition that promises what the tool returns. */
export interface ToolOutput<O extends StandardSchemaV1 = AnyOutput> {
  /**
   * A Standard Schema of the result. What `execute` returns is its *input*: it is checked, and the model gets the schema's
   * *output* (defaults filled in, transforms done), so that is also the side published as JSON Schema.
   *
   * @default none: the result is not checked
   */
  readonly output?: O | undefined
}

/** A tool whose parameters and validation come from one Standard Schema (zod, valibot, arktype). */
export interface SchemaTool<S extends StandardSchemaV1, O extends StandardSchemaV1 = AnyOutput>
  extends ToolOptions,
    ToolOutput<O> {
  /**
   * Validates the arguments, and describes them unless `parameters` stands beside it. What it takes is an object; any other is refused when the
   * tool is declared.
   */
  readonly schema: S
  /** JSON Schema to publish instead of the schema's own; needed when the schema cannot write itself as JSON Schema. */
  readonly parameters?: JsonSchema | undefined
  /** Excluded: it would be a second validation. */
  readonly parse?: undefined
  /** Runs a call with the schema's output. */
  readonly execute: (args: StandardSchemaV1.InferOutput<S>, call: ToolCall) => ResultOf<O>
}

/** A tool with JSON Schema written by hand and its own validation. */
export interface ParseTool<P, O extends StandardSchemaV1 = AnyOutput> extends ToolOptions, ToolOutput<O> {
  /** JSON Schema of the arguments, plain data and no schema of a library; its root describes an object. */
  readonly parameters: JsonSchema
  /**
   * Validates the arguments: returns them (or a promise of them), or throws what the model shall read. An error that carries
   * `issues` is listed issue by issue. Stands before `execute` where its own parameter is not annotated, else TypeScript has
   * not seen its result yet.
   */
  readonly parse: (args: unknown) => P
  /** Excluded: it would be a second validation. */
  readonly schema?: undefined
  /** Runs a call with what `parse` returned. */
  readonly execute: (args: Awaited<P>, call: ToolCall) => ResultOf<O>
}

/** A tool with JSON Schema written by hand and no validation: the arguments are whatever the model sent. */
export interface RawTool<A = unknown, O extends StandardSchemaV1 = AnyOutput> extends ToolOptions, ToolOutput<O> {
  /** JSON Schema of the arguments, plain data and no schema of a library; its root describes an object, and `{}` takes no arguments. Nothing checks the arguments against it in the page. */
  readonly parameters: JsonSchema
  /** Excluded: see `ParseTool`. */
  readonly parse?: undefined
  /** Excluded: see `SchemaTool`. */
  readonly schema?: undefined
  /** Runs a call. `args` is `unknown` unless the handler annotates it, which is then a promise that nothing checks. */
  readonly execute: (args: A, call: ToolCall) => ResultOf<O>
}

/** Any tool, with the types of its arguments and result forgotten. Every other spelling is assignable to it. */
export type AnyTool = ToolOptions &
  ToolOutput & {
    readonly execute: (args: never, call: ToolCall) => unknown
  } & (
    | { readonly schema: StandardSchemaV1; readonly parameters?: JsonSchema | undefined; readonly parse?: undefined }
    | {
        readonly schema?: undefined
        readonly parameters: JsonSchema
        readonly parse?: ((args: unknown) => unknown) | undefined
      }
  )

/** A record of schema tools, each handler inferred from its own schema; `output` is checked when called, not by type. */
export type SchemaTools<S extends Readonly<Record<string, StandardSchemaV1>>> = {
  readonly [Name in keyof S]: SchemaTool<S[Name]>
}

/**
 * The overloads of a function that takes one definition after the arguments `Before` and returns `Result`, so that `execute`'s
 * arguments are inferred at the call: from `schema`, from `parse`, or `unknown`.
 */
export interface ToolDeclare<Before extends readonly unknown[], Result> {
  <S extends StandardSchemaV1, O extends StandardSchemaV1 = AnyOutput>(
    ...args: [...before: Before, tool: SchemaTool<S, O>]
  ): Result
  <P, O extends StandardSchemaV1 = AnyOutput>(...args: [...before: Before, tool: ParseTool<P, O>]): Result
  <A = unknown, O extends StandardSchemaV1 = AnyOutput>(...args: [...before: Before, tool: RawTool<A, O>]): Result
}

/**
 * Gives back the definition as it is: it is there for its types, where a tool is defined apart from the call that declares it or
 * in a record or list of tools of different spellings.
 *
 * @example
 * const greet = pageTool({
 *   description: "Greet somebody.",
 *   schema: z.object({ name: z.string() }),
 *   execute: ({ name }) => `Hello ${name}`,
 * })
 */
export function pageTool<S extends StandardSchemaV1, O extends StandardSchemaV1 = AnyOutput>(
  tool: SchemaTool<S, O>,
): SchemaTool<S, O>
export function pageTool<P, O extends StandardSchemaV1 = AnyOutput>(tool: ParseTool<P, O>): ParseTool<P, O>
export function pageTool<A = unknown, O extends StandardSchemaV1 = AnyOutput>(tool: RawTool<A, O>): RawTool<A, O>
export function pageTool<T>(tool: T): T {
  return tool
}

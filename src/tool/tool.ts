/**
 * What a developer writes to offer a tool: the three spellings of a definition, and the typing that infers `execute`'s arguments
 * from each. No checks and no behaviour, except the identity helper `pageTool`.
 */

import type { StandardSchemaV1 } from "@standard-schema/spec"
import type { ToolCall } from "./toolCall.ts"
import type { JsonSchema, ToolAnnotations, ToolAnswer } from "./toolSpec.ts"

/**
 * How overlapping calls of one tool run: at once (`parallel`), one after the other in order (`serial`), or only the newest (`latest`: a new call aborts
 * the running one, which is answered with an error).
 */
export type ToolConcurrency = "parallel" | "serial" | "latest"

/** The options of every tool, with `schema` or `parameters`. */
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
   * Hints for the agent, published as they are. They are not permissions.
   *
   * @default none
   */
  readonly annotations?: ToolAnnotations | undefined
  /**
   * `false` withdraws the tool. A call that still arrives is answered with an error.
   *
   * @default true
   */
  readonly enabled?: boolean | undefined
  /**
   * Milliseconds after which `call.signal` aborts. Pauses while the user is asked. The tool then has one second (`ABORT_GRACE_MS`) to answer; otherwise
   * the model is told that the call was aborted and may have run in part.
   *
   * @default no limit but the server's deadline
   */
  readonly timeout?: number | undefined
  /**
   * What happens to overlapping calls.
   *
   * @default "parallel"
   */
  readonly concurrency?: ToolConcurrency | undefined
  /**
   * Maximum size of an answer in bytes of UTF-8. A longer one is cut, with a note to the model.
   *
   * @default 131072 (128 KiB)
   */
  readonly maxResultBytes?: number | undefined
}

/**
 * A value that an answer can be made of: a string, or what `JSON.stringify` can say. Functions, symbols, bigints, maps, sets,
 * typed arrays, responses, errors and JSX are no such values; those that hide deeper in an object are found when the answer is made.
 */
export type ToolValue = string | number | boolean | null | undefined | void | JsonObjectLike

/** Any object or array that JSON may say; interfaces need no index signature. What is known to be something else has one of these. */
type JsonObjectLike = object & {
  /** Functions have it. */
  readonly [Symbol.hasInstance]?: never
  /** Maps, sets, promises, buffers and typed arrays have it. */
  readonly [Symbol.toStringTag]?: never
  /** Responses, requests and blobs have it. */
  readonly arrayBuffer?: never
} & /* An error has both. */ ({ readonly stack?: never } | { readonly message?: never }) &
  /* A JSX element has both. */ ({ readonly props?: never } | { readonly key?: never })

/** What `execute` may return: a string, `{ text, is_error }` (what stands beside the two is not sent), any other JSON value, nothing, or a promise of these. */
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

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T

/** What the result of an inline `execute` is inferred by: its literals stay literals, by which its lists are read-only. */
export type InferredResult<O extends StandardSchemaV1> =
  | ResultOf<O>
  | DeepReadonly<StandardSchemaV1.InferInput<O>>
  | PromiseLike<DeepReadonly<StandardSchemaV1.InferInput<O>>>

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
export interface SchemaTool<S extends StandardSchemaV1, O extends StandardSchemaV1 = AnyOutput, R extends InferredResult<O> = ResultOf<O>>
  extends ToolOptions,
    ToolOutput<O> {
  /**
   * Validates the arguments, and describes them unless `parameters` is given too. It must describe an object; any other schema is refused when the tool
   * is declared.
   */
  readonly schema: S
  /** JSON Schema to publish instead of the schema's own. Needed if the schema cannot convert itself to JSON Schema. */
  readonly parameters?: JsonSchema | undefined
  /** Not allowed: it would validate twice. */
  readonly parse?: undefined
  /** Runs a call with the schema's output. */
  readonly execute: (args: StandardSchemaV1.InferOutput<S>, call: ToolCall) => R
}

/** A tool with JSON Schema written by hand and its own validation. */
export interface ParseTool<P, O extends StandardSchemaV1 = AnyOutput, R extends InferredResult<O> = ResultOf<O>> extends ToolOptions, ToolOutput<O> {
  /** JSON Schema of the arguments, plain data and no schema of a library; its root describes an object. */
  readonly parameters: JsonSchema
  /**
   * Validates the arguments: returns them (or a promise of them), or throws a message for the model. If the error has `issues`, the model gets each of
   * them. Stands before `execute` where its own parameter is not annotated, else TypeScript has
   * not seen its result yet.
   */
  readonly parse: (args: unknown) => P
  /** Not allowed: it would validate twice. */
  readonly schema?: undefined
  /** Runs a call with what `parse` returned. */
  readonly execute: (args: Awaited<P>, call: ToolCall) => R
}

/** A tool with JSON Schema written by hand and no validation: the arguments are whatever the model sent. */
export interface RawTool<A = unknown, O extends StandardSchemaV1 = AnyOutput, R extends InferredResult<O> = ResultOf<O>> extends ToolOptions, ToolOutput<O> {
  /** JSON Schema of the arguments, plain data and no schema of a library; its root describes an object, and `{}` takes no arguments. Nothing checks the arguments against it in the page. */
  readonly parameters: JsonSchema
  /** Excluded: see `ParseTool`. */
  readonly parse?: undefined
  /** Excluded: see `SchemaTool`. */
  readonly schema?: undefined
  /** Runs a call. `args` is `unknown` unless the handler annotates it, which is then a promise that nothing checks. */
  readonly execute: (args: A, call: ToolCall) => R
}

/** The ways to say what a tool takes; `A` is what its handler gets. */
type Takes<A> =
  | { readonly schema: StandardSchemaV1<unknown, A>; readonly parameters?: JsonSchema | undefined; readonly parse?: undefined }
  | { readonly schema?: undefined; readonly parameters: JsonSchema; readonly parse?: ((args: unknown) => A | PromiseLike<A>) | undefined }

/** One of several tools. A method: what is known to be some tool, but not which, fits too. */
type OneOfTools<A> = ToolOptions & ToolOutput & { execute(this: void, args: A, call: ToolCall): unknown } & Takes<A>

/**
 * Any tool, with the types of its arguments and result forgotten. Every other spelling is assignable to it; a handler that is written where one is
 * expected gets `unknown`.
 */
export type AnyTool = OneOfTools<unknown>

/** A tool by what its handler takes and returns, whichever way it says so. */
export type InlineTool<A, O extends StandardSchemaV1, R> = ToolOptions &
  ToolOutput<O> & { readonly execute: (args: A, call: ToolCall) => R } & Takes<A>

/**
 * Several tools, in a record or a list, each handler inferred by itself; `T` holds what they take. Of a `parse` with a parameter that is not annotated
 * the result is `unknown`, and results are checked when called, not by type. Optional, since one of several records may be given, as by `isAdmin ? { ... } : {}`.
 */
export type InlineTools<T> = {
  readonly [N in keyof T]?: OneOfTools<T[N]> & (T extends readonly unknown[] ? { readonly name: string } : unknown)
}

/**
 * The overloads of a function that takes one definition after the arguments `Before` and returns `Result`, so that `execute`'s
 * arguments are inferred at the call: from `schema`, from `parse`, or `unknown`. The last takes what the others take: of more than three
 * that do not fit TypeScript tells the last alone, and this one says what is wrong.
 */
export interface ToolDeclare<Before extends readonly unknown[], Result> {
  <S extends StandardSchemaV1, O extends StandardSchemaV1 = AnyOutput, const R extends InferredResult<O> = ResultOf<O>>(
    ...args: [...before: Before, tool: SchemaTool<S, O, R>]
  ): Result
  <P, O extends StandardSchemaV1 = AnyOutput, const R extends InferredResult<O> = ResultOf<O>>(
    ...args: [...before: Before, tool: ParseTool<P, O, R>]
  ): Result
  <A = unknown, O extends StandardSchemaV1 = AnyOutput, const R extends InferredResult<O> = ResultOf<O>>(
    ...args: [...before: Before, tool: RawTool<A, O, R>]
  ): Result
  <A = unknown, O extends StandardSchemaV1 = AnyOutput, const R extends InferredResult<O> = ResultOf<O>>(
    ...args: [...before: Before, tool: InlineTool<A, O, R>]
  ): Result
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
export function pageTool<S extends StandardSchemaV1, O extends StandardSchemaV1 = AnyOutput, const R extends InferredResult<O> = ResultOf<O>>(
  tool: SchemaTool<S, O, R>,
): SchemaTool<S, O>
export function pageTool<P, O extends StandardSchemaV1 = AnyOutput, const R extends InferredResult<O> = ResultOf<O>>(
  tool: ParseTool<P, O, R>,
): ParseTool<P, O>
export function pageTool<A = unknown, O extends StandardSchemaV1 = AnyOutput, const R extends InferredResult<O> = ResultOf<O>>(
  tool: RawTool<A, O, R>,
): RawTool<A, O>
/** What does not fit is told of this one. */
export function pageTool<A = unknown, O extends StandardSchemaV1 = AnyOutput, const R extends InferredResult<O> = ResultOf<O>>(
  tool: InlineTool<A, O, R>,
): InlineTool<A, O, R>
export function pageTool<T>(tool: T): T {
  return tool
}

import { pathText } from "./pathText.ts"

/**
 * Why a definition was refused:
 *
 * - `invalid_name`: a tool's or client's name is empty or has characters that models' names cannot have
 * - `name_too_long`: with its prefix the name is longer than models accept
 * - `no_description`: the description is missing or empty
 * - `schema_and_parse`: two validations for one call
 * - `no_parameters`: neither `schema` nor `parameters`
 * - `invalid_schema`: `schema` or `output` is no Standard Schema
 * - `schema_not_describable`: the schema cannot write itself as JSON Schema and no `parameters` stands beside it
 * - `unrepresentable`: the schema holds a type that JSON Schema cannot say, such as a date
 * - `not_json`: what was written by hand (`parameters`, `annotations`) holds something that is not JSON
 * - `root_not_object`: the parameters describe something else than an object
 * - `invalid_option`: another property of the definition has a value that it cannot have
 * - `too_many_tools`: the client offers more tools than the server takes of one; those declared first are published
 * - `refused`: the server does not take this tool, such as one with a longer description than it allows; `cause` is its refusal
 */
export type ToolDefinitionErrorCode =
  | "invalid_name"
  | "name_too_long"
  | "no_description"
  | "schema_and_parse"
  | "no_parameters"
  | "invalid_schema"
  | "schema_not_describable"
  | "unrepresentable"
  | "not_json"
  | "root_not_object"
  | "invalid_option"
  | "too_many_tools"
  | "refused"

/** A tool, or the name of a tool client, that cannot be declared. The message says what is wrong, where, and what to do. */
export class ToolDefinitionError extends Error {
  override readonly name = "ToolDefinitionError"
  /** What is wrong, for code. */
  readonly code: ToolDefinitionErrorCode
  /** The tool's name as it was given; empty when the error is about a client's name, or the tool had none. */
  readonly tool: string
  /**
   * Where it is wrong; empty for the whole. For `unrepresentable` the path of the value in the arguments (or in the output), where
   * `[]` stands for any item of a list and `*` for any further property; otherwise the path of the property in the definition.
   */
  readonly path: readonly (string | number)[]

  constructor(
    code: ToolDefinitionErrorCode,
    tool: string,
    problem: string,
    path: readonly (string | number)[] = [],
    cause?: unknown,
  ) {
    const where = [tool && `tool "${tool}"`, pathText(path)].filter(Boolean).join(", ")
    super(where ? `${where}: ${problem}` : problem, cause === undefined ? undefined : { cause })
    this.code = code
    this.tool = tool
    this.path = path
  }
}

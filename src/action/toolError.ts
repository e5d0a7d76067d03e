/** One thing that a schema refused: where, and why. As it goes over the wire. */
export interface ToolIssue {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/**
 * Why a tool could not be run, or its result not be used:
 * - `invalid_input`, `invalid_output`: a schema refused it; `issues` says what.
 * - `not_found`: there is no tool of this name.
 * - `unauthorized`, `forbidden`: the host does not let this caller in, or not here.
 * - `failed`: the tool threw; the message is its own.
 * - `interrupted`: it must wait for somebody, and the caller cannot.
 * - `aborted`: the caller gave up.
 * - `network`: the host did not answer; the tool may have run.
 * - `bad_response`: the host answered what is no answer.
 * - `bad_manifest`: the manifest is of another version or shape.
 * - `bad_name`: a name that no code can use, or that two tools claim.
 * - `limit`: it took more time, memory or calls than it may.
 */
export type ToolErrorCode =
  | "invalid_input"
  | "invalid_output"
  | "not_found"
  | "unauthorized"
  | "forbidden"
  | "failed"
  | "interrupted"
  | "aborted"
  | "network"
  | "bad_response"
  | "bad_manifest"
  | "bad_name"
  | "limit"

/** Every failure of a tool that is not an interrupt; `code` says which, the message names the tool and the paths. */
export class ToolError extends Error {
  override readonly name = "ToolError"
  readonly code: ToolErrorCode
  /** The tool's id or function name; empty where it is about none. */
  readonly tool: string
  /** What a schema refused; empty for other codes. */
  readonly issues: readonly ToolIssue[]

  constructor(
    code: ToolErrorCode,
    tool: string,
    problem: string,
    options: { readonly issues?: readonly ToolIssue[] | undefined; readonly cause?: unknown } = {},
  ) {
    const { issues = [], cause } = options
    const listed = issues.map(({ path, message }) => `${path.join(".") || "(root)"}: ${message}`).join("; ")
    super(`${tool ? `Tool "${tool}": ` : ""}${problem}${listed ? `: ${listed}` : ""}.`, cause === undefined ? undefined : { cause })
    this.code = code
    this.tool = tool
    this.issues = issues
  }
}

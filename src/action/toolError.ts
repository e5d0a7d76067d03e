import { pathText } from "../tool/pathText.ts"

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
 * - `unavailable`: the host could not find out who calls, or a sandbox has as many scripts as it may; nothing has run, and the same may be let in later.
 * - `failed`: the tool threw; the message is its own.
 * - `interrupted`: it must wait for somebody, and the caller cannot.
 * - `aborted`: the caller gave up.
 * - `network`: the host did not answer; the tool may have run.
 * - `bad_response`: the host answered what is no answer.
 * - `bad_manifest`: the manifest is of another version or shape.
 * - `bad_name`: a name that no code can use, or that two tools claim.
 * - `conflict`: the idempotency key was used for another call before.
 * - `limit`: it took more time, memory or calls than it may.
 * - `not_installed`: an optional package that this needs is missing.
 * - `no_worker`: a sandbox's worker did not start; the message says why, and what to do.
 */
export type ToolErrorCode = (typeof TOOL_ERROR_CODES)[number]

export const TOOL_ERROR_CODES = [
  "invalid_input",
  "invalid_output",
  "not_found",
  "unauthorized",
  "forbidden",
  "unavailable",
  "failed",
  "interrupted",
  "aborted",
  "network",
  "bad_response",
  "bad_manifest",
  "bad_name",
  "conflict",
  "limit",
  "not_installed",
  "no_worker",
] as const

export interface ToolErrorOptions {
  /** @default none */
  readonly issues?: readonly ToolIssue[] | undefined
  readonly cause?: unknown
}

/** Every failure of a tool that is not an interrupt; `code` says which, the message names the tool and the paths. */
export class ToolError extends Error {
  override readonly name = "ToolError"
  readonly code: ToolErrorCode
  /** The tool's id or function name; empty where it is about none. */
  readonly tool: string
  /** The message without tool and issues: what goes over the wire. */
  readonly problem: string
  /** What a schema refused; empty for other codes. */
  readonly issues: readonly ToolIssue[]

  /**
   * @param code - Which kind.
   * @param tool - The tool's id or function name; empty where it is about none.
   * @param problem - What is wrong and what to do, without a full stop.
   */
  constructor(code: ToolErrorCode, tool: string, problem: string, { issues = [], cause }: ToolErrorOptions = {}) {
    const listed = issues.map(({ path, message }) => `${pathText(path) || "(root)"}: ${message}`).join("; ")
    super(`${tool ? `Tool "${tool}": ` : ""}${problem}${listed ? `: ${listed}` : ""}`, cause === undefined ? undefined : { cause })
    this.code = code
    this.tool = tool
    this.problem = problem
    this.issues = issues
  }
}

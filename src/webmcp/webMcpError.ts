/**
 * Why a tool is not offered to the browser's agent:
 * - `duplicate_name`: the document has a tool of that name already, of another script's, a form's or another mirror's. It is tried again
 *   when tools of the document change.
 * - `refused`: the browser did not take the tool; `cause` is what it said. It is tried again likewise.
 * - `not_loaded`: this library's code for the browser's agent could not be fetched; `cause` says why. It is tried again when the tools
 *   change.
 */
export type WebMcpErrorCode = "duplicate_name" | "refused" | "not_loaded"

export interface WebMcpErrorOptions {
  readonly cause?: unknown
  readonly tool?: string | undefined
}

/** Every failure of a mirror; `code` says which. */
export class WebMcpError extends Error {
  override readonly name = "WebMcpError"
  readonly code: WebMcpErrorCode
  /** Which tool it is about, where it is about one. */
  readonly tool: string | undefined

  constructor(code: WebMcpErrorCode, message: string, { cause, tool }: WebMcpErrorOptions = {}) {
    super(message, { cause })
    this.code = code
    this.tool = tool
  }
}

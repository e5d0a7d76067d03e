/** What the dev server's agent says of one run. */
export interface AgentReport {
  /** What it could call, its own tools first. */
  readonly tools: readonly { readonly name: string; readonly description: string }[]
  readonly calls: readonly AgentReportCall[]
  readonly text: string
}

export interface AgentReportCall {
  readonly tool: string
  /** As written in the instruction; a string where that was no JSON. */
  readonly arguments: unknown
  readonly text: string
  readonly is_error: boolean
}

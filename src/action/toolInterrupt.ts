export interface ToolInterruptOptions {
  /** What the caller must know to ask: a form's fields, what would be bought. JSON. */
  readonly data?: unknown
  /** What the tool needs to go on from here; comes back as `context.resumption.state`. JSON. */
  readonly state?: unknown
}

/**
 * Thrown by a tool that must wait for somebody. Whoever runs it pauses, asks, and calls again with
 * `context.resumption = { state, answer }`. Over HTTP it is the interrupted branch of the response, thrown again on the far side.
 */
export class ToolInterrupt extends Error {
  override readonly name = "ToolInterrupt"
  readonly data: unknown
  readonly state: unknown

  /** @param message - What is asked, for a person. */
  constructor(message: string, { data = null, state = null }: ToolInterruptOptions = {}) {
    super(message)
    this.data = data
    this.state = state
  }
}

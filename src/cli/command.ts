/** What a command writes to, and where relative paths begin: the process, or a test. */
export interface Terminal {
  readonly cwd: string
  print(text: string): void
  warn(text: string): void
}

export interface Command {
  /** What follows the command's name, as a person writes it. */
  readonly usage: string
  readonly summary: string
  /** @returns the exit code. What it throws is printed by its message, and is 1. */
  run(args: readonly string[], terminal: Terminal): Promise<number>
}

/** A command that was written wrongly: its usage is shown, and the exit code is 2. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

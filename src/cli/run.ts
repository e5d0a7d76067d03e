import { type Command, type Terminal, UsageError } from "./command.ts"
import { mcp } from "./mcp.ts"
import { serve } from "./serve.ts"
import { types } from "./types.ts"

const COMMANDS: ReadonlyMap<string, Command> = new Map([
  ["mcp", mcp],
  ["serve", serve],
  ["types", types],
])

const help = (): string =>
  ["Usage:", ...[...COMMANDS].map(([name, { usage, summary }]) => `  react-tool-client ${name} ${usage}\n      ${summary}`)].join("\n")

/** Runs the command that stands first. @returns the exit code: 0, 1 for a failure, 2 for a command that was written wrongly */
export async function run([name, ...args]: readonly string[], terminal: Terminal): Promise<number> {
  if (name === "--help" || name === "-h") {
    terminal.print(help())
    return 0
  }
  const command = name === undefined ? undefined : COMMANDS.get(name)
  if (!command) {
    terminal.warn(name === undefined ? help() : `There is no command "${name}".\n${help()}`)
    return 2
  }
  // Whatever else is there: who asks for help wants nothing done.
  if (args.includes("--help") || args.includes("-h")) {
    terminal.print(`Usage: react-tool-client ${name} ${command.usage}\n${command.summary}`)
    return 0
  }
  try {
    return await command.run(args, terminal)
  } catch (error) {
    terminal.warn(error instanceof Error ? error.message : String(error))
    if (!(error instanceof UsageError)) return 1
    terminal.warn(`Usage: react-tool-client ${name} ${command.usage}`)
    return 2
  }
}

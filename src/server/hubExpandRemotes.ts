import type { RemoteFunction } from "../hub/messages.ts"
import { callSafely } from "../lib/callSafely.ts"
import { reasonOf } from "../tool/reason.ts"
import { copyJson } from "../tool/copyJson.ts"
import type { ToolAnswer } from "../tool/toolSpec.ts"
import type { RemoteDirectory } from "./hubUser.ts"

/** A function of a remote as a tool of one run. */
export interface RemoteTool extends RemoteFunction {
  /** Never rejects: what fails is an answer with `is_error`, which the model reads. */
  execute(args: unknown): Promise<ToolAnswer>
}

export interface ExpandRemotesOptions<Native extends { readonly name: string }> {
  /** The run's input, with a prompt's options in it. */
  readonly input: { readonly remotes?: unknown; readonly tools?: unknown }
  /** The agent's own tools. */
  readonly nativeTools: readonly Native[]
  /** The remotes of the user who prompts. */
  readonly remotes: Pick<RemoteDirectory, "functions" | "call">
  /** Hears of what is left out, and why. @default `console.warn` */
  readonly warn?: ((message: string) => void) | undefined
}

interface Choice {
  readonly name: string
  readonly prefix: string
}

function choiceOf(entry: unknown): Choice | undefined {
  if (typeof entry === "string") return { name: entry, prefix: "" }
  const { name, prefix = "" } = (entry ?? {}) as { readonly name?: unknown; readonly prefix?: unknown }
  return typeof name === "string" && typeof prefix === "string" ? { name, prefix } : undefined
}

/** An entry that came in this process may be one that JSON cannot say. */
function shown(entry: unknown): string {
  const copy = copyJson(entry)
  return copy.ok ? JSON.stringify(copy.value) : `${typeof entry}: ${copy.reason}`
}

function choicesOf(remotes: unknown, warn: (message: string) => void): readonly Choice[] {
  if (remotes == null) return []
  if (!Array.isArray(remotes)) {
    warn("options.remotes is not a list and is ignored: pass names, or { name, prefix }.")
    return []
  }
  return remotes.flatMap((entry: unknown) => {
    const choice = choiceOf(entry)
    if (!choice) warn(`An entry of options.remotes is neither a name nor { name, prefix } and is ignored: ${shown(entry)}`)
    return choice ?? []
  })
}

/**
 * The tools of one run, resolved once, at its start (docs/HUB-PROTOCOL.md, "Prompts"): the agent's own first, then every function of
 * each remote that the input names, as prefix + function. Of two with one name the first stays, so native tools win. A remote
 * that is not connected right now is left out with a warning. Where the input carries tools of its own, they are all there is.
 */
export function expandRemotes<Native extends { readonly name: string }>(
  options: ExpandRemotesOptions<Native>,
): readonly (Native | RemoteTool)[] {
  const { input, nativeTools, remotes } = options
  // A warning that cannot be told stops no run.
  const warn = (message: string): void => callSafely(options.warn ?? ((text: string) => console.warn(text)), message, () => {})
  if (Array.isArray(input.tools)) return input.tools as readonly Native[]
  const tools = new Map<string, Native | RemoteTool>()
  for (const tool of nativeTools) if (!tools.has(tool.name)) tools.set(tool.name, tool)

  for (const { name: remotename, prefix } of choicesOf(input.remotes, warn)) {
    const functions = remotes.functions(remotename)
    if (!functions) warn(`The remote '${remotename}' is not connected: the run starts without it.`)
    for (const { name, description, parameters } of functions ?? []) {
      const toolName = prefix + name
      if (tools.has(toolName)) {
        warn(`The run has a tool '${toolName}' before that of the remote '${remotename}', which is left out: give the remote a prefix.`)
        continue
      }
      tools.set(toolName, {
        name: toolName,
        description,
        parameters,
        async execute(args) {
          try {
            const value = await remotes.call(remotename, name, args)
            return { text: typeof value === "string" ? value : JSON.stringify(value), is_error: false }
          } catch (error) {
            return { text: reasonOf(error), is_error: true }
          }
        },
      })
    }
  }
  return [...tools.values()]
}

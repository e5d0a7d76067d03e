import type { StandardSchemaV1 } from "@standard-schema/spec"
import { outputOf, parametersOf } from "../tool/parameters.ts"
import type { AnyOutput, RawTool } from "../tool/tool.ts"
import type { ToolCall } from "../tool/toolCall.ts"
import type { ToolItems } from "./items.ts"
import type { Logger, Tool } from "./tool.ts"
import { ToolError } from "./toolError.ts"
import { ToolInterrupt } from "./toolInterrupt.ts"
import { checkToolMap } from "./toolMap.ts"

/** An interrupt of a page's tool, and the call that it belongs to. */
export interface PageInterrupt {
  /** The tool's key in the map. */
  readonly tool: string
  readonly interrupt: ToolInterrupt
  readonly call: ToolCall
}

export interface ToPageToolsOptions {
  /**
   * Asks whoever can answer; the tool goes on with what this resolves to. The tool's own timeout stands still meanwhile.
   *
   * @default none: an interrupted call is answered with an error that says so
   */
  readonly onInterrupt?: ((interrupt: PageInterrupt) => Promise<unknown>) | undefined
  /** @default none: tools see no items */
  readonly items?: ToolItems | undefined
  /** @default console */
  readonly logger?: Logger | undefined
  readonly userId?: string | undefined
}

/** Says what the tool gives, and checks nothing: the tool itself has. */
function publishedOutput(output: StandardSchemaV1, tool: string): AnyOutput {
  const write = (): Record<string, unknown> => ({ ...outputOf({ output: output as AnyOutput }, tool) })
  const face = { version: 1 as const, vendor: "react-tool-client", validate: (value: unknown) => ({ value }), jsonSchema: { input: write, output: write } }
  return { "~standard": face }
}

/**
 * Any map of tools as tools of a page, for `useTools(client, ...)`: a page then offers what runs in it, or on another host. Make it once,
 * or in `useMemo`: the handlers are the map's own, so a new one at each render changes nothing but costs its making.
 *
 * @throws TypeError for what is no map of tools
 * @throws ToolDefinitionError where an input's schema cannot be said as JSON Schema, or is no object
 * @example
 * const pageTools = useMemo(() => toPageTools(tools), [tools])
 * useTools(client, pageTools)
 */
export function toPageTools<Name extends string>(tools: Readonly<Record<Name, Tool>>, options: ToPageToolsOptions = {}): Readonly<Record<Name, RawTool>> {
  checkToolMap("toPageTools needs tools", tools)
  const { onInterrupt, items, logger = console, userId } = options

  async function run(name: string, tool: Tool, args: unknown, call: ToolCall): Promise<unknown> {
    const context = { logger, userId, items, signal: call.signal }
    let resumption
    for (;;) {
      try {
        return await tool.execute(args, { ...context, resumption })
      } catch (thrown) {
        if (!(thrown instanceof ToolInterrupt)) throw thrown
        if (!onInterrupt) throw new ToolError("interrupted", tool.id, `it asks for an answer ("${thrown.message}"), but this page has no onInterrupt`, { cause: thrown })
        const asked = call.askPerson(thrown.message)
        try {
          resumption = { state: thrown.state, answer: await onInterrupt({ tool: name, interrupt: thrown, call }) }
          asked.settle(true, "code")
        } catch (refusal) {
          asked.settle(false, "code")
          throw refusal
        }
      }
    }
  }

  const pageToolOf = (name: string, tool: Tool): RawTool => ({
    description: tool.description ?? tool.name,
    title: tool.name,
    // The tool validates: were the page to do it as well, what transforms would do so twice.
    parameters: parametersOf({ schema: tool.input }, name),
    output: publishedOutput(tool.output, name),
    execute: (args, call) => run(name, tool, args, call) as Promise<object>,
  })
  return Object.fromEntries(Object.entries<Tool>(tools).map(([name, tool]) => [name, pageToolOf(name, tool)])) as Record<Name, RawTool>
}

import { outputOf, parametersOf } from "../../tool/parameters.ts"
import { aLogger, aText, checkOptions } from "../../lib/checkOptions.ts"
import { reasonOf } from "../../tool/reason.ts"
import type { AnyOutput } from "../../tool/tool.ts"
import type { Logger, Tool } from "../../action/tool.ts"
import { checkToolMap } from "../../action/toolMap.ts"
import { ToolError } from "../../action/toolError.ts"
import { ToolInterrupt } from "../../action/toolInterrupt.ts"
import type { AgentToolSource } from "../agentToolSource.ts"
import type { ModelTool } from "../modelTools.ts"

export interface ActionSourceOptions {
  /** @default console */
  readonly logger?: Logger | undefined
  /** Whom the actions are told that they run for. @default nobody */
  readonly userId?: string | undefined
}

function modelTool(name: string, { id, name: title, description, input, output }: Tool): ModelTool {
  const written = outputOf({ output: output as AnyOutput }, id)
  return { name, title, description: description ?? title, parameters: parametersOf({ schema: input }, id), ...(written && { output: written }) }
}

/**
 * Tools that run in this process or on another host, by their names in the map: what `registry.toTools()` and `client.toTools()` of
 * `react-tool-client/tools` give. One that must wait for somebody is answered with an error that says so.
 *
 * @throws TypeError for what is no map of tools, and for an option that is wrong
 * @throws ToolDefinitionError where a schema cannot be said as JSON Schema
 * @example
 * await mcpServer(actionSource(await registry.toTools())).connect(new StdioServerTransport())
 */
export function actionSource(actions: Readonly<Record<string, Tool>>, options: ActionSourceOptions = {}): AgentToolSource {
  checkToolMap("actionSource needs actions", actions)
  checkOptions<ActionSourceOptions>("actionSource", options, { logger: aLogger, userId: aText })
  const { logger = console, userId } = options
  const tools = Object.entries(actions).map(([name, tool]) => modelTool(name, tool))

  return {
    tools: () => Promise.resolve(tools),
    async callTool(name, args, { signal } = {}) {
      const tool = Object.hasOwn(actions, name) ? actions[name] : undefined
      if (!tool) throw new ToolError("not_found", "", `There is no tool "${name}". There are: ${Object.keys(actions).join(", ") || "none"}.`)
      try {
        const value: unknown = await tool.execute(args, { logger, userId, signal })
        return { text: typeof value === "string" ? value : (JSON.stringify(value) ?? "null"), is_error: false }
      } catch (thrown) {
        if (thrown instanceof ToolError && thrown.code === "aborted") throw thrown
        if (thrown instanceof ToolInterrupt) {
          return { text: `The tool "${name}" asks for an answer ("${thrown.message}"), but nobody can be asked here. It did not finish.`, is_error: true }
        }
        return { text: reasonOf(thrown), is_error: true }
      }
    },
    watchTools(listener) {
      let isStopped = false
      queueMicrotask(() => {
        if (!isStopped) listener(tools)
      })
      return () => {
        isStopped = true
      }
    },
  }
}

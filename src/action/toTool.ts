import type { StandardSchemaV1 } from "@standard-schema/spec"
import type { Action } from "./provider.ts"
import { jsonOf } from "./jsonOf.ts"
import type { Services } from "./services.ts"
import { defineTool, type Tool, type ToolResumption } from "./tool.ts"

/**
 * The action as a tool that runs in this process, its services bound in. What it is called with is JSON, too, as it would be for the
 * same action on another host.
 *
 * @param action - The action.
 * @param services - What it runs with.
 * @param id - The tool's id. `@default` the action's; a registry gives `{providerId}.{actionId}`
 */
export function toTool<Input extends StandardSchemaV1, Output extends StandardSchemaV1>(
  action: Action<Input, Output>,
  services: Services,
  id: string = action.id,
): Tool<Input, Output> {
  const { name, description, input, output } = action
  const tool = defineTool({ id, name, description, input, output, execute: (given, context) => action.execute(given, { ...context, services }) })
  return Object.freeze<Tool<Input, Output>>({
    ...tool,
    async execute(given, context) {
      const { resumption } = context
      const json = jsonOf({ input: given, resumption }, id, "invalid_input") as { input: typeof given; resumption?: ToolResumption }
      return tool.execute(json.input, { ...context, resumption: json.resumption })
    },
  })
}

/** The id of a provider's action as a tool, in process and on a client alike. */
export const toolIdOf = (providerId: string, actionId: string): string => `${providerId}.${actionId}`

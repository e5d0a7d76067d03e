import type { StandardSchemaV1 } from "@standard-schema/spec"
import type { Action } from "./provider.ts"
import type { Services } from "./services.ts"
import { defineTool, type Tool } from "./tool.ts"

/**
 * The action as a tool that runs in this process, its services bound in.
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
  return defineTool({ id, name, description, input, output, execute: (given, context) => action.execute(given, { ...context, services }) })
}

/** The id of a provider's action as a tool, in process and on a client alike. */
export const toolIdOf = (providerId: string, actionId: string): string => `${providerId}.${actionId}`

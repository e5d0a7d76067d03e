import type { ToolClientControl } from "../toolClient/toolClientControl.ts"
import type { ToolClientRegistry } from "../toolClient/toolClientRegistry.ts"
import { RemoteError } from "./remoteError.ts"

/** The tool clients that would serve, had another remote not their name. */
export function keptOut(registry: Pick<ToolClientRegistry, "forEach">): readonly ToolClientControl[] {
  const found: ToolClientControl[] = []
  registry.forEach((control) => {
    const { status, error } = control.client.state
    if (status === "failed" && error instanceof RemoteError && error.code === "already_connected") found.push(control)
  })
  return found
}

/** Those that want this name begin anew. */
export function letIn(registry: Pick<ToolClientRegistry, "forEach">, remotename: string): void {
  for (const control of keptOut(registry)) if (control.client.name === remotename) control.sessionRetried()
}

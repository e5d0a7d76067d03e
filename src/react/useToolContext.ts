import type { ToolClient } from "../toolClient/toolClient.ts"
import { useTool } from "./useTool.ts"

export interface ToolContextDefinition {
  /** What the model can read here, and when to read it. */
  readonly description: string
  /** A name for people. @default the tool's name */
  readonly title?: string | undefined
  /** `false` stops offering it. @default true */
  readonly enabled?: boolean | undefined
  /** Returns the current state: any JSON value, or a promise of one. Calls use `read` of the last committed render. */
  read(this: void): unknown
}

const NO_ARGUMENTS = { type: "object", properties: {}, additionalProperties: false } as const
const READ_ONLY = { readOnlyHint: true } as const

/**
 * Lets an agent read part of the page's state, as a read-only tool without arguments. State is read when the tool is called, so it is never stale and
 * costs nothing until then.
 */
export function useToolContext(client: ToolClient | null | undefined, name: string, definition: ToolContextDefinition): void {
  // A definition without them is refused where all are.
  const { description, title, enabled, read } = (definition as ToolContextDefinition | null | undefined) ?? ({} as ToolContextDefinition)
  useTool(client, name, {
    description,
    title,
    enabled,
    annotations: READ_ONLY,
    parameters: NO_ARGUMENTS,
    execute: ((read as unknown) && (() => read())) as () => object,
  })
}

import type { ToolClient } from "../toolClient/toolClient.ts"
import { useTool } from "./useTool.ts"

export interface ToolContextDefinition {
  /** What a model finds here, and when to look. */
  readonly description: string
  /** A name for people. @default the tool's name */
  readonly title?: string | undefined
  /** `false` stops offering it. @default true */
  readonly enabled?: boolean | undefined
  /** Gives what the page shows now: any JSON value, or a promise of one. It is the last committed render's. */
  read(this: void): unknown
}

const NO_ARGUMENTS = { type: "object", properties: {}, additionalProperties: false } as const
const READ_ONLY = { readOnlyHint: true } as const

/**
 * Lets an agent read a part of the page's state: a tool that takes nothing and changes nothing. It is read when it is called, so it is
 * never stale and costs nothing while nobody asks.
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

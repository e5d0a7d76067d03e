import { type DynamicToolUIPart, isToolOrDynamicToolUIPart, getToolOrDynamicToolName, type ToolUIPart } from "ai"
import type { CallRecord } from "react-tool-client"
import { parseToolName } from "../agent/toolName.ts"
import type { ChatTurn } from "./chatTurns.ts"

export type ToolPart = ToolUIPart | DynamicToolUIPart

const sameJson = (one: unknown, other: unknown): boolean => JSON.stringify(one ?? {}) === JSON.stringify(other ?? {})

/**
 * Pure: the page's own record of each call that the agent made, by the model's id of it. The model knows another id than the page: of
 * one turn, the first call of a tool with these arguments is the first record of such a one. Of calls in other tabs there is none.
 */
export function recordsOf(turns: readonly ChatTurn[], calls: readonly CallRecord[], clientName: string | undefined): ReadonlyMap<string, CallRecord> {
  const found = new Map<string, CallRecord>()
  const taken = new Set<CallRecord>()
  for (const { answer, startedAt, endedAt } of turns) {
    for (const part of answer?.parts ?? []) {
      if (!isToolOrDynamicToolUIPart(part)) continue
      const { client, tool } = parseToolName(getToolOrDynamicToolName(part))
      if (client !== clientName) continue
      const record = calls.find(
        (call) =>
          call.tool === tool &&
          !taken.has(call) &&
          call.receivedAt >= startedAt &&
          (endedAt === undefined || call.receivedAt <= endedAt) &&
          sameJson(call.arguments, part.input),
      )
      if (!record) continue
      taken.add(record)
      found.set(part.toolCallId, record)
    }
  }
  return found
}

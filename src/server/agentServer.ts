/** An agent's methods in this process: what it does over HTTP, without HTTP. */
import { callSafely } from "../lib/callSafely.ts"
import type { AgentServer } from "./agentToolSource.ts"
import { type CallWaiter, outcomeOf } from "./callWaiter.ts"
import { jsonCopy } from "./jsonCopy.ts"
import type { BodyLimits } from "./serverRequest.ts"
import type { SessionService } from "./sessionService.ts"
import type { ToolLists } from "./toolLists.ts"

export interface AgentServerOptions {
  readonly service: Pick<SessionService, "tools" | "call" | "cancel">
  readonly calls: Pick<CallWaiter, "wait">
  readonly lists: Pick<ToolLists, "watch">
  readonly limits: BodyLimits
  /** Hears what callbacks throw, and why a call could not be cancelled. */
  report(error: unknown): void
}

export function createAgentServer({ service, calls, lists, limits, report }: AgentServerOptions): AgentServer {
  return {
    tools: service.tools,
    watchTools: lists.watch,
    async callTool(sessionId, name, args, { signal, onProgress, onCallId } = {}) {
      signal?.throwIfAborted()
      const copy = jsonCopy(args, limits)
      const callId = await service.call(sessionId, { tool: name, arguments: copy, idempotency: null }, { who: "in_process", traceparent: null })
      if (onCallId) callSafely(onCallId, callId, report)
      const cancel = (): void => void service.cancel(sessionId, callId).catch(report)
      if (signal?.aborted) cancel()
      signal?.addEventListener("abort", cancel)
      try {
        const call = await calls.wait(sessionId, callId, {
          isKnown: true,
          onProgress:
            onProgress &&
            (({ number: _, ...progress }) => {
              callSafely(onProgress, progress, report)
              return false
            }),
        })
        if (!call) throw new Error("A wait without a limit ended without a settled call.")
        return outcomeOf(call)
      } finally {
        signal?.removeEventListener("abort", cancel)
      }
    },
  }
}

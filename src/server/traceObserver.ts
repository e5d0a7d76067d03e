import { hasMethods } from "../lib/checkOptions.ts"
import type { ServerEvents, ServerObserver } from "./serverEvents.ts"

/** What is used of `@opentelemetry/api`: `import * as api from "@opentelemetry/api"` is one. */
export interface OpenTelemetryApi<Context> {
  readonly trace: {
    getTracer(name: string): {
      startSpan(name: string, options: { kind: number; startTime: number; attributes: Readonly<Record<string, string | boolean>> }, context: Context): TraceSpan
    }
  }
  readonly context: { active(): Context }
  readonly propagation: { extract(context: Context, carrier: Readonly<Record<string, string>>): Context }
}

/** What is used of a span. */
export interface TraceSpan {
  addEvent(name: string, time: number): unknown
  setStatus(status: { code: number; message?: string }): unknown
  setAttribute(name: string, value: string | boolean): unknown
  end(time: number): void
}

/** `SpanKind.INTERNAL` and `SpanStatusCode.ERROR`, which are numbers for good. */
const KIND_INTERNAL = 0
const STATUS_ERROR = 2

/** Calls whose span waits here for their end; settled elsewhere, they leave none behind. */
const MAX_OPEN_CALLS = 10_000

interface OpenCall<Context> {
  readonly parent: Context
  readonly who: string
  readonly acked: number | undefined
}

const attributesOf = ({ sessionId, callId, tool, clientId }: ServerEvents["call.settled"]): Record<string, string> => ({
  // OpenTelemetry's semantic conventions for generative AI, "Execute tool span".
  "gen_ai.operation.name": "execute_tool",
  "gen_ai.tool.name": tool,
  "gen_ai.tool.call.id": callId,
  "gen_ai.conversation.id": sessionId,
  "react_tool_client.client.id": clientId,
})

/**
 * Writes one span for each call, `execute_tool <tool>`, from when it was made until it was settled: below the agent's own span, by the trace
 * context of its request or of the code that called `callTool`. Without an SDK that collects them the API makes nothing of it.
 *
 * @throws TypeError for what is not that API
 * @example
 * import * as api from "@opentelemetry/api"
 * createSessionServer({ observers: [createTraceObserver(api)] })
 */
export function createTraceObserver<Context>(api: OpenTelemetryApi<Context>): ServerObserver {
  if (!hasMethods(api?.trace, "getTracer")) throw new TypeError('createTraceObserver needs the API: import * as api from "@opentelemetry/api".')
  const { trace, context, propagation } = api
  const tracer = trace.getTracer("react-tool-client")
  const open = new Map<string, OpenCall<Context>>()

  function remember(callId: string, call: OpenCall<Context>): void {
    open.set(callId, call)
    const [oldest] = open.keys()
    if (open.size > MAX_OPEN_CALLS && oldest !== undefined) open.delete(oldest)
  }

  return (event) => {
    switch (event.type) {
      case "call.requested": {
        const { callId, who, traceparent } = event
        const parent = traceparent === null ? context.active() : propagation.extract(context.active(), { traceparent })
        // A repeat of the same request is no other call.
        if (!open.has(callId)) remember(callId, { parent, who, acked: undefined })
        break
      }
      case "call.acked": {
        const call = open.get(event.callId)
        if (call) open.set(event.callId, { ...call, acked: event.at })
        break
      }
      case "call.settled": {
        const { callId, tool, at, durationMs, reason, isError } = event
        const call = open.get(callId)
        open.delete(callId)
        const options = { kind: KIND_INTERNAL, startTime: at - durationMs, attributes: attributesOf(event) }
        const span = tracer.startSpan(`execute_tool ${tool}`, options, call?.parent ?? context.active())
        if (call) span.setAttribute("react_tool_client.caller", call.who)
        if (call?.acked !== undefined) span.addEvent("acked", call.acked)
        span.setAttribute("react_tool_client.settled.reason", reason)
        if (isError) {
          span.setAttribute("error.type", reason === "answered" ? "tool_error" : reason)
          span.setStatus({ code: STATUS_ERROR })
        }
        span.end(at)
        break
      }
      default:
        break
    }
  }
}

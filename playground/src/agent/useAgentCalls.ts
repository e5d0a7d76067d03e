import { useEffect, useReducer, useRef } from "react"
import type { AgentApi, CallOutcome } from "./agentApi.ts"

/** One call as the agent sees it. */
export interface AgentCall {
  readonly key: string
  readonly tool: string
  readonly arguments: unknown
  /** Unknown until the server has taken the call. */
  readonly callId: string | undefined
  readonly isCancelling: boolean
  readonly outcome: CallOutcome | undefined
  /** The request failed, or was refused before any page saw it. */
  readonly error: Error | undefined
}

type Change = Partial<Omit<AgentCall, "key">>

type Action =
  | { readonly type: "sent"; readonly call: AgentCall }
  | { readonly type: "changed"; readonly key: string; readonly change: Change }

/** Calls that the console still shows. */
const MAX_KEPT = 5

export const isOver = ({ outcome, error }: AgentCall): boolean => outcome !== undefined || error !== undefined

/** Newest first. Those that run all stay. */
function reducer(calls: readonly AgentCall[], action: Action): readonly AgentCall[] {
  switch (action.type) {
    case "sent":
      return [action.call, ...calls].filter((call, index) => index < MAX_KEPT || !isOver(call))
    case "changed":
      return calls.map((call) => (call.key === action.key ? { ...call, ...action.change } : call))
    default:
      return action satisfies never
  }
}

export interface AgentCalls {
  readonly calls: readonly AgentCall[]
  call(this: void, tool: string, args: unknown): Promise<void>
  cancel(this: void, call: AgentCall): Promise<void>
}

/** Calls tools as the agent, and keeps what came of it. */
export function useAgentCalls(agent: AgentApi | null): AgentCalls {
  const [calls, dispatch] = useReducer(reducer, [])
  const unmounted = useRef<AbortController | null>(null)

  useEffect(() => {
    const controller = new AbortController()
    unmounted.current = controller
    return () => controller.abort()
  }, [])

  return {
    calls,
    async call(tool, args) {
      const signal = unmounted.current?.signal
      if (!agent || !signal) return
      const key = crypto.randomUUID()
      const change = (next: Change): void => dispatch({ type: "changed", key, change: next })
      dispatch({
        type: "sent",
        call: { key, tool, arguments: args, callId: undefined, isCancelling: false, outcome: undefined, error: undefined },
      })
      try {
        const callId = await agent.start(tool, args)
        change({ callId })
        change({ outcome: await agent.settled(callId, signal) })
      } catch (error) {
        if (!signal.aborted) change({ error: error as Error })
      }
    },
    async cancel({ key, callId }) {
      if (!agent || callId === undefined) return
      dispatch({ type: "changed", key, change: { isCancelling: true } })
      // Its outcome comes to the one who waits for it.
      await agent.cancel(callId).catch((error: Error) => dispatch({ type: "changed", key, change: { isCancelling: false, error } }))
    },
  }
}

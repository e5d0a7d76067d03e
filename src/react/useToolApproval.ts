import { useEffect, useState, useSyncExternalStore } from "react"
import { type Approvals, createApprovals, type PendingApproval } from "./approvals.ts"

export interface ToolApproval {
  /** Call it inside `execute`: `if (!(await ask(call, { message }))) return "The user said no."` The function never changes. */
  readonly ask: Approvals["ask"]
  /** The question to render: the oldest open one, or `null`. */
  readonly pending: PendingApproval | null
  /** All open questions, oldest first, including `pending`. */
  readonly waiting: readonly PendingApproval[]
}

/**
 * Asks the user before a tool acts. Unmounting the asking component, `timeout`, and the call's abort or deadline count as a refusal. The tool's own
 * `timeout` pauses while the user is asked. The call's `approvals` record who decided.
 */
export function useToolApproval(): ToolApproval {
  const [approvals] = useState(createApprovals)
  useEffect(() => approvals.mount(), [approvals])
  const snapshot = () => approvals.state
  const waiting = useSyncExternalStore(approvals.subscribe, snapshot, snapshot)
  return { ask: approvals.ask, pending: waiting[0] ?? null, waiting }
}

import { useEffect, useState, useSyncExternalStore } from "react"
import { type Approvals, createApprovals, type PendingApproval } from "./approvals.ts"

export interface ToolApproval {
  /** Asks inside `execute`: `if (!(await ask(call, { message }))) return "The person said no."` Always the same function. */
  readonly ask: Approvals["ask"]
  /** The question to show, the oldest first; `null` when nothing is asked. */
  readonly pending: PendingApproval | null
  /** All that are asked, the oldest first, `pending` among them. */
  readonly waiting: readonly PendingApproval[]
}

/**
 * Asks a person before a tool acts. Refused without a person: by the unmount of the component that asks, by `timeout`, by the call's
 * abort or deadline. The tool's own `timeout` stands still meanwhile, and who decided is recorded in the call's `approvals`.
 */
export function useToolApproval(): ToolApproval {
  const [approvals] = useState(createApprovals)
  useEffect(() => approvals.mount(), [approvals])
  const snapshot = () => approvals.state
  const waiting = useSyncExternalStore(approvals.subscribe, snapshot, snapshot)
  return { ask: approvals.ask, pending: waiting[0] ?? null, waiting }
}

import type { Session, SessionState } from "../toolClient/session.ts"
import { identity, useStoreState } from "./useStoreState.ts"

const NO_SESSION: SessionState = { id: "", status: "connecting", error: undefined, isRunning: false }

/**
 * Returns the session's state, or the part that `selector` returns. The component re-renders only when that part changes, compared by `isEqual` or
 * `Object.is`; a selector that creates objects needs `isEqual`. Without a session the status is `connecting` and the id is empty.
 */
export function useSessionState(session: Session | null | undefined): SessionState
export function useSessionState<Selection>(
  session: Session | null | undefined,
  selector: (state: SessionState) => Selection,
  isEqual?: (one: Selection, other: Selection) => boolean,
): Selection
export function useSessionState(
  session: Session | null | undefined,
  selector: (state: SessionState) => unknown = identity,
  isEqual?: (one: unknown, other: unknown) => boolean,
): unknown {
  return useStoreState(session, NO_SESSION, selector, isEqual)
}

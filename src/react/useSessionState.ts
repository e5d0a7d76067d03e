import type { Session, SessionState } from "../toolClient/session.ts"
import { identity, useStoreState } from "./useStoreState.ts"

const NO_SESSION: SessionState = { id: "", status: "connecting", error: undefined, isRunning: false }

/**
 * The session's snapshot, or the part of it that `selector` picks: the component re-renders only when that changes, by
 * `isEqual` where it is given (a selector that makes an object needs one), else by `Object.is`. While the session
 * is not known it is `connecting`, with an empty id.
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

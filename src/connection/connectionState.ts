import type { SessionError } from "../wire/sessionError.ts"

/**
 * The stream's state.
 *
 * ```
 *              opened                 lost
 *  connecting ────────▶ open ───────────────────▶ reconnecting
 *      │                 ▲                          │   │  ▲
 *      │ lost            └────────── opened ────────┘   │  │ lost, retried
 *      └──────────────────▶ reconnecting                │  │
 *                                                       ▼  │
 *  any but closed ── refused ──▶ failed ── retried ──▶ reconnecting
 *  any ── closed ──▶ closed
 * ```
 */
export type ConnectionState =
  | { readonly status: "connecting"; readonly error: undefined }
  | { readonly status: "open"; readonly error: undefined }
  /** `error` is why the last stream ended or could not be opened. */
  | { readonly status: "reconnecting"; readonly error: SessionError | undefined }
  | { readonly status: "failed"; readonly error: SessionError }
  | { readonly status: "closed"; readonly error: undefined }

export type ConnectionEvent =
  | { readonly type: "opened" }
  | { readonly type: "lost"; readonly error?: SessionError }
  | { readonly type: "refused"; readonly error: SessionError }
  | { readonly type: "retried" }
  | { readonly type: "closed" }

export const CONNECTING: ConnectionState = { status: "connecting", error: undefined }

/** Pure: the next state, or the same object where the event changes nothing. */
export function nextConnectionState(state: ConnectionState, event: ConnectionEvent): ConnectionState {
  if (state.status === "closed") return state
  switch (event.type) {
    case "opened":
      return state.status === "open" || state.status === "failed" ? state : { status: "open", error: undefined }
    case "lost":
      return state.status === "failed" ? state : { status: "reconnecting", error: event.error }
    case "refused":
      return { status: "failed", error: event.error }
    case "retried":
      return state.status === "failed" ? { status: "reconnecting", error: state.error } : state
    case "closed":
      return { status: "closed", error: undefined }
    default:
      return event satisfies never
  }
}

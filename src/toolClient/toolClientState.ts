import type { CallRecord } from "./calls.ts"

interface ToolClientBase {
  /** The tools that the server has accepted, by name: what a model can see right now. */
  readonly tools: readonly string[]
  /** The calls in flight and the last 50 settled, oldest first. */
  readonly calls: readonly CallRecord[]
}

/**
 * A tool client's snapshot: a union on `status`.
 *
 * ```
 *             registered                  asked to leave            deleted
 *   joining ─────────────▶ serving ─────────────────────▶ leaving ─────────▶ left
 *    │ ▲ ▲                   │ │                             ▲
 *    │ │ └── lost, renewed ──┘ │                             │
 *    │ │                       │                             │
 *    │ └─ rejoined ── failed ◀─┘ session failed              │
 *    └──── refused ────▶ └───────────── asked to leave ──────┘
 *                        └─ registered, with another set ──▶ serving
 * ```
 */
export type ToolClientState =
  | (ToolClientBase & {
      readonly status: "joining"
      readonly error: undefined
      /** What it had before it had to register again. */
      readonly id: string | undefined
      readonly name: string | undefined
    })
  | (ToolClientBase & { readonly status: "serving"; readonly error: undefined; readonly id: string; readonly name: string })
  | (ToolClientBase & {
      readonly status: "leaving" | "left"
      readonly error: undefined
      readonly id: string | undefined
      readonly name: string | undefined
    })
  | (ToolClientBase & {
      readonly status: "failed"
      readonly error: unknown
      readonly id: string | undefined
      readonly name: string | undefined
    })

export type ToolClientEvent =
  | { readonly type: "registered"; readonly id: string; readonly name: string; readonly tools: readonly string[] }
  | { readonly type: "updated"; readonly tools: readonly string[] }
  | { readonly type: "lost" }
  | { readonly type: "refused"; readonly error: unknown }
  | { readonly type: "rejoined" }
  | { readonly type: "leaving" }
  | { readonly type: "left" }
  | { readonly type: "calls"; readonly calls: readonly CallRecord[] }

const NO_TOOLS: readonly string[] = []

export const JOINING: ToolClientState = {
  status: "joining",
  error: undefined,
  id: undefined,
  name: undefined,
  tools: NO_TOOLS,
  calls: [],
}

const sameNames = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((name, index) => name === other[index])

/** Pure: the next snapshot, or the same object where the event changes nothing. */
export function nextToolClientState(state: ToolClientState, event: ToolClientEvent): ToolClientState {
  const isEnding = state.status === "leaving" || state.status === "left"
  switch (event.type) {
    case "registered":
      return isEnding ? state : { ...state, status: "serving", error: undefined, id: event.id, name: event.name, tools: event.tools }
    case "updated":
      return isEnding || sameNames(state.tools, event.tools) ? state : { ...state, tools: event.tools }
    case "lost":
      return state.status === "serving" ? { ...state, status: "joining", tools: NO_TOOLS } : state
    case "refused":
      return isEnding ? state : { ...state, status: "failed", error: event.error, tools: NO_TOOLS }
    case "rejoined":
      return state.status === "failed" ? { ...state, status: "joining", error: undefined } : state
    case "leaving":
      return isEnding ? state : { ...state, status: "leaving", error: undefined, tools: NO_TOOLS }
    case "left":
      return state.status === "left" ? state : { ...state, status: "left", error: undefined, tools: NO_TOOLS }
    case "calls":
      return state.calls === event.calls ? state : { ...state, calls: event.calls }
    default:
      return event satisfies never
  }
}

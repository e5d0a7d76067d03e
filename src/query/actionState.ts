import type { ToolInterrupt } from "../action/toolInterrupt.ts"

/** How far an action came: a union on `status`. */
export type ActionState<Input, Output> =
  | { readonly status: "idle" }
  | { readonly status: "running"; readonly input: Input }
  | { readonly status: "completed"; readonly input: Input; readonly data: Output }
  | { readonly status: "failed"; readonly input: Input; readonly error: Error }
  /** It waits for an answer: show `interrupt.message`, and call `resume(answer)` once. */
  | {
      readonly status: "interrupted"
      readonly input: Input
      readonly interrupt: ToolInterrupt
      resume(answer: unknown): void
    }

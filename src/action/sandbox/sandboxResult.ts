import type { JsonValue } from "../../tool/toolSpec.ts"

/** How far a script came. */
export type SandboxResult =
  /** It ran to its end; `value` is that of its last statement or its `return`, undefined for what JSON leaves out, such as a function. */
  | { readonly status: "completed"; readonly value: JsonValue | undefined }
  /** An action waits for somebody, and the script for the action. Its worker and its memory are held until one of the two functions is called. */
  | {
      readonly status: "interrupted"
      /** The key of the action. */
      readonly tool: string
      /** What is asked, for a person. */
      readonly message: string
      readonly data: unknown
      /** Gives the answer to the action and goes on. Once. */
      resume(answer: unknown): Promise<SandboxResult>
      /** Gives the script up; what `resume` has promised rejects, `aborted`. */
      cancel(): void
    }

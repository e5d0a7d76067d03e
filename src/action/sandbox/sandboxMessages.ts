import type { ToolErrorCode } from "../toolError.ts"

/** What bounds a script where it runs. See `SandboxLimits`. */
export interface ScriptLimits {
  readonly memoryBytes: number
  readonly cpuMs: number
  readonly calls: number
}

/** What the thread that runs scripts is told. Texts and numbers only: all that crosses is JSON that the script's engine wrote, or will read. */
export type ToSandbox =
  /** Runs a script; the one before is over. */
  | { readonly type: "start"; readonly code: string; readonly names: readonly string[]; readonly limits: ScriptLimits }
  | { readonly type: "answer"; readonly id: number; readonly ok: boolean; readonly json: string }
  /** The script that waits is given up. */
  | { readonly type: "dispose" }

/** What that thread tells. */
export type FromSandbox =
  /** It has its engine, once. */
  | { readonly type: "ready" }
  /** It has none, once: `isMissing` where a package is not installed. */
  | { readonly type: "unavailable"; readonly isMissing: boolean; readonly problem: string }
  /** The script begins to run by itself, and may for so long, in milliseconds. */
  | { readonly type: "running"; readonly leftMs: number }
  | { readonly type: "call"; readonly id: number; readonly name: string; readonly input: string }
  | { readonly type: "log"; readonly level: string; readonly text: string }
  | { readonly type: "settled"; readonly ok: boolean; readonly json: string }
  | { readonly type: "failed"; readonly code: ToolErrorCode; readonly tool: string; readonly problem: string }
  /** It waits for what it called. */
  | { readonly type: "waiting" }
  /** It is over, and its memory free: the next may come. */
  | { readonly type: "free" }
  /** It is over, and its memory is not to be freed: nothing more may run there. */
  | { readonly type: "broken" }

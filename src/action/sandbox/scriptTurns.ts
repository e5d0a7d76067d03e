import type { SandboxLimits } from "./sandboxLimits.ts"
import { SCRIPT_NAME } from "./sandboxPrelude.ts"
import { ToolError } from "../toolError.ts"

/** One script's part in who runs when, until it leaves. */
export interface ScriptTurn {
  /** Calls `begin` once the script may run, at once where it may; never after `leave`. One that goes on comes before those that have not begun. */
  take(begin: () => void): void
  /** It waits for a person, and others may run meanwhile. */
  pause(): void
  /** It is over, or given up. */
  leave(): void
}

/** Which of a sandbox's scripts run, and which wait for their turn. */
export interface ScriptTurns {
  /** @throws ToolError `unavailable` where as many are not over as may be */
  enter(): ScriptTurn
}

export function createScriptTurns({ running: maxRunning, unfinished: maxUnfinished }: Pick<SandboxLimits, "running" | "unfinished">): ScriptTurns {
  const waiting: (() => void)[] = []
  let running = 0
  let unfinished = 0

  function next(): void {
    while (running < maxRunning && waiting.length > 0) waiting.shift()?.()
  }

  return {
    enter() {
      if (unfinished >= maxUnfinished) {
        const problem = `${maxUnfinished} scripts of this sandbox are unfinished, the maximum (limit \`unfinished\`): they run, or wait for their turn or for a person`
        throw new ToolError("unavailable", SCRIPT_NAME, `${problem}; nothing has run, try again later`)
      }
      unfinished++
      let status: "waiting" | "running" | "over" = "waiting"
      let hasRun = false
      let entry: (() => void) | undefined

      function stop(now: "waiting" | "over"): void {
        if (status === "running") running--
        if (entry) waiting.splice(waiting.indexOf(entry), 1)
        entry = undefined
        status = now
        next()
      }

      return {
        take(begin) {
          if (status !== "waiting" || entry) return
          entry = () => {
            entry = undefined
            status = "running"
            hasRun = true
            running++
            begin()
          }
          if (hasRun) waiting.unshift(entry)
          else waiting.push(entry)
          next()
        },
        pause() {
          if (status === "running") stop("waiting")
        },
        leave() {
          if (status === "over") return
          unfinished--
          stop("over")
        },
      }
    },
  }
}

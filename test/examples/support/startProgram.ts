import { spawn } from "node:child_process"
import { onTestFinished } from "vitest"
import { createDeferred } from "../../../src/lib/deferred.ts"

/** A program that has not ended by itself by then is killed, so that its test fails by its signal. */
const PATIENCE_MS = 40_000

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly output: string
}

export interface Program {
  /** Resolves when the program has ended, however it did. */
  readonly ended: Promise<Ended>
  readonly hasEnded: boolean
  /** Resolves with the first match in what the program has printed to either stream; rejects when it ended without. */
  printed(pattern: RegExp): Promise<RegExpMatchArray>
  signal(signal: NodeJS.Signals): void
}

/** Runs a Node program as a child process. */
export function startProgram(file: string, options: { env?: NodeJS.ProcessEnv; args?: readonly string[]; cwd?: string } = {}): Program {
  const { env, args = [], cwd } = options
  const child = spawn(process.execPath, [file, ...args], { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] })
  const kill = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS)
  onTestFinished(() => void child.kill("SIGKILL"))
  let output = ""
  let hasEnded = false
  let news = createDeferred<void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text
      news.resolve()
      news = createDeferred()
    })
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", (code, signal) => {
      clearTimeout(kill)
      hasEnded = true
      news.resolve()
      resolve({ code, signal, output })
    })
  })
  return {
    ended,
    get hasEnded() {
      return hasEnded
    },
    async printed(pattern) {
      for (;;) {
        const match = pattern.exec(output)
        if (match) return match
        if (hasEnded) throw new Error(`The program ended without printing ${pattern}:\n${output}`)
        await news.promise
      }
    },
    signal: (signal) => void child.kill(signal),
  }
}

import type { AnyTool } from "../tool/tool.ts"

/** One call in line; `abort` tells it that a newer one of the same tool has come. */
export interface QueuedCall {
  abort(reason: string): void
}

/** Runs the calls of each tool by its `concurrency`. */
export interface CallQueue {
  run<Value>(name: string, concurrency: AnyTool["concurrency"], call: QueuedCall, task: () => Promise<Value>): Promise<Value>
}

/** `parallel` runs at once; `serial` one after another, in the order they came; `latest` aborts those before it and runs at once. */
export function createCallQueue(): CallQueue {
  const tails = new Map<string, Promise<unknown>>()
  const running = new Map<string, Set<QueuedCall>>()

  return {
    async run(name, concurrency, call, task) {
      const others = running.get(name) ?? new Set()
      running.set(name, others)
      if (concurrency === "latest") for (const other of others) other.abort("a newer call of the same tool has come")
      others.add(call)
      const before = concurrency === "serial" ? tails.get(name) : undefined
      const result = before ? before.then(task, task) : task()
      const tail = result.catch(() => {})
      tails.set(name, tail)
      try {
        return await result
      } finally {
        others.delete(call)
        if (others.size === 0) running.delete(name)
        if (tails.get(name) === tail) tails.delete(name)
      }
    },
  }
}

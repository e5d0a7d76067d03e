/** A worker of the web platform, by what a sandbox uses of it. */
export interface WebWorker {
  postMessage(message: unknown): void
  addEventListener(type: string, listener: (event: Event) => void): void
  terminate(): void
}

/** A `Worker` of Node's `worker_threads`, by what a sandbox uses of it. */
export interface NodeWorker {
  postMessage(message: unknown): void
  on(event: string, listener: (value: unknown) => void): unknown
  ref(): void
  unref(): void
  terminate(): Promise<number>
}

/** A worker that runs `react-tool-client/sandbox-worker`, and belongs to the sandbox that it is given to. */
export type SandboxWorker = WebWorker | NodeWorker

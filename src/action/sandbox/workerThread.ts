import type { Clock } from "../../lib/clock.ts"
import { createDeferred } from "../../lib/deferred.ts"
import { expectType } from "../../lib/expectType.ts"
import { reasonOf } from "../../tool/reason.ts"
import type { FromSandbox } from "./sandboxMessages.ts"
import { NO_LISTENER, type SandboxThread, type ThreadListener } from "./sandboxThread.ts"
import type { SandboxWorker } from "./sandboxWorkerType.ts"
import { ToolError } from "../toolError.ts"

/** A worker that has said nothing by then has not been found, or cannot load its engine: half a megabyte over a slow line, and some. Milliseconds. */
export const WORKER_START_MS = 60_000

const WHAT_TO_DO =
  "scripts run in a worker, created by new Worker(new URL(...)). If your bundler does not build it, or the page's policy (worker-src) or origin forbids it, pass the Sandbox " +
  "`worker`, a function that creates one from react-tool-client/sandbox-worker, or `worker: false` to run scripts without one"

const noWorker = (reason: string, cause?: unknown): ToolError => new ToolError("no_worker", "", `the sandbox's worker did not start (${reason}); ${WHAT_TO_DO}`, { cause })

/**
 * Starts a worker, and waits until it has its engine.
 *
 * @param create - May throw, and may take its time.
 * @param clock - The machine's own: the script's may stand still.
 * @throws ToolError `no_worker`, `not_installed`
 */
export async function openWorkerThread(create: () => SandboxWorker | Promise<SandboxWorker>, clock: Clock): Promise<SandboxThread> {
  const late = createDeferred<never>()
  const timer = clock.setTimeout(() => late.reject(new Error(`no word from it in ${WORKER_START_MS} ms`)), WORKER_START_MS)
  const making = (async () => {
    const made = await create()
    expectType("what the sandbox's `worker` gave", (made as SandboxWorker | undefined)?.postMessage, "a worker, with postMessage as a function")
    return made
  })()
  let worker: SandboxWorker
  try {
    worker = await Promise.race([making, late.promise])
  } catch (thrown) {
    clock.clearTimeout(timer)
    // One that comes yet comes for nobody.
    making.then(
      (unused) => void unused.terminate(),
      () => {},
    )
    throw noWorker(reasonOf(thrown), thrown)
  }
  const started = createDeferred<void>()
  let listener: ThreadListener = {
    onMessage(message) {
      if (message.type === "ready") started.resolve()
      else if (message.type === "unavailable") started.reject(message.isMissing ? new ToolError("not_installed", "", message.problem) : noWorker(message.problem))
    },
    onEnd: (reason) => started.reject(noWorker(reason)),
  }
  let isEnded = false

  function terminate(): void {
    isEnded = true
    listener = NO_LISTENER
    void worker.terminate()
  }
  function onEnd(reason: string): void {
    if (isEnded) return
    const last = listener
    terminate()
    last.onEnd(reason)
  }
  const onMessage = (message: unknown): void => listener.onMessage(message as FromSandbox)
  if ("on" in worker) {
    worker.on("message", onMessage)
    worker.on("error", (error) => onEnd(reasonOf(error)))
    worker.on("exit", (code) => onEnd(`it ended with code ${String(code)}`))
  } else {
    worker.addEventListener("message", (event) => onMessage((event as MessageEvent<unknown>).data))
    worker.addEventListener("error", (event) => {
      // What a worker throws is told to its owner, not to the page.
      event.preventDefault()
      onEnd((event as Partial<ErrorEvent>).message || "its code could not be loaded, or threw")
    })
  }

  late.promise.catch((reason: unknown) => onEnd(reasonOf(reason)))
  try {
    await started.promise
  } catch (error) {
    terminate()
    throw error
  } finally {
    clock.clearTimeout(timer)
  }
  const node = "on" in worker ? worker : undefined
  listener = NO_LISTENER
  node?.unref()
  return {
    get isEnded() {
      return isEnded
    },
    post: (message) => worker.postMessage(message),
    listen(next) {
      if (!isEnded) listener = next
    },
    hold: () => node?.ref(),
    letGo: () => node?.unref(),
    terminate,
  }
}

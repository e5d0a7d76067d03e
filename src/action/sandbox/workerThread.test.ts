import { describe, expect, it } from "vitest"
import { createDeferred } from "../../lib/deferred.ts"
import { createFakeClock } from "../../testing/fakeClock.ts"
import type { SandboxWorker } from "./sandboxWorkerType.ts"
import { openWorkerThread, WORKER_START_MS } from "./workerThread.ts"

/** What a promise rejects with. */
const rejection = (promise: Promise<unknown>): Promise<unknown> => promise.then(() => "no rejection", (error: unknown) => error)

function createFakeWorker() {
  const worker = { isEnded: false, postMessage() {}, addEventListener() {}, terminate: () => void (worker.isEnded = true) }
  return worker
}

describe("a worker", () => {
  it("that is never made is not waited for, and ended when it comes after all", async () => {
    const clock = createFakeClock()
    const making = createDeferred<SandboxWorker>()
    const opening = rejection(openWorkerThread(() => making.promise, clock))
    await clock.advance(WORKER_START_MS)
    expect(await opening).toMatchObject({ code: "no_worker", message: expect.stringContaining(`no word from it in ${WORKER_START_MS} ms`) })
    const worker = createFakeWorker()
    making.resolve(worker)
    await clock.advance(0)
    expect(worker.isEnded).toBe(true)
  })

  it("that says nothing is ended", async () => {
    const clock = createFakeClock()
    const worker = createFakeWorker()
    const opening = rejection(openWorkerThread(() => worker, clock))
    await clock.advance(WORKER_START_MS)
    expect(await opening).toMatchObject({ code: "no_worker", message: expect.stringContaining("no word from it") })
    expect(worker.isEnded).toBe(true)
    expect(clock.pending).toBe(0)
  })

  it.each([undefined, null, {}])("that is none is refused, and nothing waits on: %s", async (made) => {
    const clock = createFakeClock()
    expect(await rejection(openWorkerThread(() => made as never, clock))).toMatchObject({ code: "no_worker", message: expect.stringContaining("must be a worker") })
    expect(clock.pending).toBe(0)
  })
})

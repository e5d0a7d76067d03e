import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { addAbortListener, once } from "node:events"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { createGuardedController } from "./guardedController.ts"
import { onAbort } from "./signals.ts"
import { turn } from "./turn.ts"

const uncaught: unknown[] = []
const hear = (error: unknown): void => void uncaught.push(error)
beforeEach(() => void process.on("uncaughtException", hear))
afterEach(async () => {
  await turn()
  process.off("uncaughtException", hear)
  expect(uncaught.splice(0)).toEqual([])
})

const thrown = new Error("a listener's")
const failing = (): never => {
  throw thrown
}

describe("a guarded controller", () => {
  it.each<[string, (signal: AbortSignal) => void]>([
    ["a function", (signal) => signal.addEventListener("abort", failing)],
    ["a function that returns a rejection", (signal) => signal.addEventListener("abort", (() => Promise.reject(thrown)) as () => void)],
    ["an object", (signal) => signal.addEventListener("abort", { handleEvent: failing })],
    ["onabort", (signal) => (signal.onabort = failing)],
    ["a listener of Node's own kind", (signal) => void addAbortListener(signal, failing)],
    ["our own way to listen", (signal) => void onAbort(signal, failing)],
  ])("hands over what %s throws, and calls the others", async (_what, listen) => {
    const errors: unknown[] = []
    const { signal, abort } = bound(createGuardedController((error) => errors.push(error)))
    const before = vi.fn()
    const after = vi.fn()
    signal.addEventListener("abort", before)
    listen(signal)
    signal.addEventListener("abort", after)
    abort()
    await turn()
    expect(errors).toEqual([thrown])
    expect(before).toHaveBeenCalledTimes(1)
    expect(after).toHaveBeenCalledTimes(1)
  })

  it("has a signal that listens like any other: once, taken off, added twice, by a signal, null", () => {
    const { signal, abort } = bound(createGuardedController(failing))
    const counts = { twice: vi.fn(), off: vi.fn(), once: vi.fn(), stopped: vi.fn(), handler: vi.fn() }
    signal.addEventListener("abort", counts.twice)
    signal.addEventListener("abort", counts.twice)
    signal.addEventListener("abort", counts.off)
    signal.removeEventListener("abort", counts.off)
    signal.addEventListener("abort", counts.once, { once: true })
    signal.addEventListener("abort", counts.stopped, { signal: AbortSignal.abort() })
    signal.addEventListener("abort", null as never)
    expect(signal.onabort).toBeNull()
    signal.onabort = counts.off
    signal.onabort = counts.handler
    expect(signal.onabort).toBe(counts.handler)
    abort(new Error("why"))
    signal.dispatchEvent(new Event("abort"))
    expect(Object.fromEntries(Object.entries(counts).map(([name, { mock }]) => [name, mock.calls.length]))).toEqual({ twice: 2, off: 0, once: 1, stopped: 0, handler: 2 })
    expect(counts.twice.mock.contexts[0]).toBe(signal)
    expect(signal.reason).toMatchObject({ message: "why" })
  })

  it("has a signal that is a real one: fetch takes it, and others are made of it", async () => {
    const server = createServer(() => {}).listen(0)
    await once(server, "listening")
    const { signal, abort } = bound(createGuardedController(failing))
    expect(signal).toBeInstanceOf(AbortSignal)
    const derived = AbortSignal.any([signal])
    const request = fetch(`http://localhost:${(server.address() as AddressInfo).port}`, { signal })
    abort(new Error("enough"))
    await expect(request).rejects.toThrow("enough")
    expect(derived.aborted).toBe(true)
    server.close()
    server.closeAllConnections()
  })
})

function bound(controller: AbortController) {
  return { signal: controller.signal, abort: (reason?: unknown) => controller.abort(reason) }
}

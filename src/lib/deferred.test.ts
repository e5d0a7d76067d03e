import { expect, test } from "vitest"
import { createDeferred } from "./deferred.ts"

test("A deferred resolves from outside.", async () => {
  const deferred = createDeferred<number>()
  deferred.resolve(5)
  deferred.resolve(6)
  deferred.reject(new Error("late"))
  expect(await deferred.promise).toBe(5)
})

test("A deferred that is rejected rejects whoever awaits it, now or later.", async () => {
  const deferred = createDeferred<number>()
  deferred.reject(new Error("no"))
  await expect(deferred.promise).rejects.toThrow("no")
  await expect(deferred.promise).rejects.toThrow("no")
})

test("A deferred whose rejection nobody awaits is no unhandled rejection.", async () => {
  const unhandled: unknown[] = []
  const listener = (reason: unknown): void => void unhandled.push(reason)
  process.on("unhandledRejection", listener)
  createDeferred().reject(new Error("unheard"))
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
  process.off("unhandledRejection", listener)
  expect(unhandled).toEqual([])
})

/** A promise with its ends outside. */
export interface Deferred<Value> {
  readonly promise: Promise<Value>
  readonly resolve: (value: Value) => void
  readonly reject: (error: unknown) => void
}

/** The promise is caught at birth: a rejection that nobody awaits is not an unhandled one; whoever awaits it still gets it. */
export function createDeferred<Value>(): Deferred<Value> {
  let resolve!: (value: Value) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<Value>((resolvePromise, rejectPromise) => {
    resolve = resolvePromise
    reject = rejectPromise
  })
  promise.catch(() => {})
  return { promise, resolve, reject }
}

/** Runs `task` now; a throw is the promise's rejection. */
export const settled = <Value>(task: () => Value): Promise<void> =>
  new Promise((resolve) => {
    task()
    resolve()
  })

export interface Deferred {
  readonly promise: Promise<void>
  readonly resolve: () => void
}

export function deferred(): Deferred {
  let resolve!: () => void
  const promise = new Promise<void>((done) => (resolve = done))
  return { promise, resolve }
}

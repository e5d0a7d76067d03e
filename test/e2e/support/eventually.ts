import { expect } from "vitest"

/** How long a page on a busy machine may take to get where it should, in milliseconds. */
const TIMEOUT_MS = 20_000

/** Asserts on what `read` gives, again and again until it holds: `await eventually(() => row.textContent()).toBe("x")`. */
export const eventually = <Value>(read: () => Value | Promise<Value>) => expect.poll(read, { timeout: TIMEOUT_MS, interval: 50 })

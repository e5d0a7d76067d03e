import { createMemoryStore } from "../../src/server/memoryStore.ts"
import { createFakeClock } from "../../src/testing/fakeClock.ts"
import { testStore } from "./storeContract.ts"

testStore("The memory store", () => {
  const clock = createFakeClock()
  const store = createMemoryStore({ clock, maxLoggedEvents: 3 })
  return {
    store,
    // It is alone: another process has another memory.
    elsewhere: store,
    until: async (condition) => {
      for (let step = 0; !condition() && step < 10_000; step++) await clock.advance(1)
      if (!condition()) throw new Error("It did not come to pass.")
    },
    timers: () => clock.pending,
  }
})

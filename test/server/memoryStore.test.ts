import { createMemoryStore } from "../../src/server/memoryStore.ts"
import { testStore } from "./support/storeContract.ts"

testStore("The memory store", (clock, maxLoggedEvents) => createMemoryStore({ clock, maxLoggedEvents }))

import { createDeferred, type Deferred } from "../../src/lib/deferred.ts"
import { randomId } from "../../src/lib/randomId.ts"
import { createFakeClock } from "../../src/testing/fakeClock.ts"
import { createMemoryFaults } from "../../src/testing/memoryFaults.ts"
import { createMemoryPort } from "../../src/testing/memoryPort.ts"
import type { ToolAnswer } from "../../src/tool/toolSpec.ts"
import { describePort } from "./portContract.ts"

describePort("memory", () => {
  const calls = new Map<string, Deferred<ToolAnswer>>()
  const faults = createMemoryFaults(createFakeClock())
  const { port, clients, forget } = createMemoryPort({
    faults,
    onAnswer(callId, answer) {
      const call = calls.get(callId)
      calls.delete(callId)
      call?.resolve(answer)
      return call !== undefined
    },
  })
  return Promise.resolve({
    port,
    offered: ({ id }) => Promise.resolve((clients.get(id)?.tools ?? []).map(({ name }) => name)),
    call(_client, tool, args) {
      const callId = randomId()
      const answered = createDeferred<ToolAnswer>()
      calls.set(callId, answered)
      return Promise.resolve({ callId, tool, arguments: args, answered: answered.promise })
    },
    forget({ id }) {
      forget(id)
      return Promise.resolve()
    },
    cut() {
      faults.setOffline(true)
      return Promise.resolve()
    },
  })
})

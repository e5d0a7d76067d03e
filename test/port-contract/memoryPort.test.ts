import { createDeferred, type Deferred } from "../../src/lib/deferred.ts"
import { randomId } from "../../src/lib/randomId.ts"
import { createMemoryPort } from "../../src/testing/memoryPort.ts"
import type { ToolAnswer } from "../../src/tool/toolSpec.ts"
import { describePort } from "./portContract.ts"

describePort("memory", () => {
  const calls = new Map<string, Deferred<ToolAnswer>>()
  const { port, clients, failNext, forget } = createMemoryPort((callId, answer) => {
    const call = calls.get(callId)
    calls.delete(callId)
    call?.resolve(answer)
    return call !== undefined
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
      failNext("register", "network", 9)
      return Promise.resolve()
    },
  })
})

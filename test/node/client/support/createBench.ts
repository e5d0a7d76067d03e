import { createWaiter } from "../../../../src/lib/waiter.ts"
import { createFakeClock } from "../../../../src/testing/fakeClock.ts"
import type { ToolCall } from "../../../../src/tool/toolCall.ts"
import type { CallRecord } from "../../../../src/toolClient/calls.ts"
import type { ToolClient, ToolClientOptions } from "../../../../src/toolClient/toolClient.ts"
import { createToolClientRegistry } from "../../../../src/toolClient/toolClientRegistry.ts"
import { createServerModel } from "./createServerModel.ts"

export interface CallOptions {
  readonly callId?: string
  readonly deadlineMs?: number
  /** @default the client's own id at the server */
  readonly clientId?: string
}

/** Tool clients of one session before a model of the server, under a clock that stands still. */
export function createBench({ isOpen = true, random = 0.5, onEmpty = () => {} }: { isOpen?: boolean; random?: number; onEmpty?: () => void } = {}) {
  const clock = createFakeClock({ random: () => random })
  const server = createServerModel()
  const errors: unknown[] = []
  const waiter = createWaiter(clock)
  let streamIsOpen = isOpen
  let calls = 0
  let tabs = 1
  const registry = createToolClientRegistry({
    port: server.port,
    clock,
    waiter,
    tab: {
      get value() {
        return tabs === 1 ? "tab" : `tab${tabs}`
      },
      renew: () => void tabs++,
    },
    isOpen: () => streamIsOpen,
    onError: (error) => errors.push(error),
    onEmpty,
  })

  /** Lets everything that is under way come to its end, without time passing. */
  async function settle(): Promise<void> {
    for (let count = 0; count < 5; count++) await clock.advance(0)
  }

  const controlOf = (client: ToolClient) => {
    let found: Parameters<Parameters<typeof registry.forEach>[0]>[0] | undefined
    registry.forEach((control) => {
      if (control.client === client) found = control
    })
    return found!
  }

  return {
    clock,
    server,
    errors,
    registry,
    waiter,
    settle,
    controlOf,
    /** The stream opens (again). */
    open() {
      streamIsOpen = true
      waiter.wake()
      registry.forEach((control) => control.opened())
    },
    lose() {
      streamIsOpen = false
    },
    /** A client that is registered, with these tools. */
    async serving(names: readonly string[] = ["add"], options?: ToolClientOptions): Promise<ToolClient> {
      const client = registry.create("web", options)
      for (const name of names) client.addTool(name, aTool())
      await settle()
      return client
    },
    /** Brings a call to a client; gives its id. */
    call(client: ToolClient, tool: string, args: unknown = {}, { callId = `call${++calls}`, deadlineMs = 300_000, clientId = client.state.id }: CallOptions = {}): string {
      registry.dispatch(clientId ?? "none", { callId, tool, arguments: args, deadlineMs })
      return callId
    },
  }
}

/** A tool as short as it may be; `execute` answers with what it is given. */
export const aTool = (execute: (args: unknown, call: ToolCall) => unknown = () => "done", more: object = {}) => ({
  description: "Does something.",
  parameters: { type: "object" },
  execute: execute as () => string,
  ...more,
})

export const recordOf = (client: ToolClient, callId: string): CallRecord | undefined => client.state.calls.find((call) => call.callId === callId)

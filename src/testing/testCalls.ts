import { createDeferred, type Deferred } from "../lib/deferred.ts"
import { randomId } from "../lib/randomId.ts"
import { turn } from "../lib/turn.ts"
import { modelToolName } from "../tool/names.ts"
import type { ToolAnswer } from "../tool/toolSpec.ts"
import type { CallRecord } from "../toolClient/calls.ts"
import type { ToolClientRegistry } from "../toolClient/toolClientRegistry.ts"
import { RESULT_DEADLINE_MS } from "../wire/limits.ts"
import type { ServedClient } from "./memoryPort.ts"
import type { TestPerson } from "./testPerson.ts"

/** What a call came back with, and the phases it went through as the page saw them. */
export interface TestAnswer extends ToolAnswer {
  readonly callId: string
  readonly phases: readonly CallRecord["phase"][]
}

/** A call of the test's that was answered. */
export interface AnsweredCall extends TestAnswer {
  readonly tool: string
  readonly arguments: unknown
}

export interface CallOptions {
  /** Which tool client, by the name it is registered under. @default the only one that offers the tool */
  readonly client?: string | undefined
  /** Dispatches under this id; the same id again is a repeated dispatch. @default a random one */
  readonly callId?: string | undefined
  /** Milliseconds for the answer. @default five minutes */
  readonly deadlineMs?: number | undefined
}

/** The agent's side of a test session: what it calls, and what it was answered. */
export interface TestCalls {
  call(tool: string, args: unknown, options: CallOptions): Promise<TestAnswer>
  /** Takes an answer of the page; `false` where the call has another one. */
  take(callId: string, answer: ToolAnswer): boolean
  /** In the order in which they were answered. */
  readonly answered: readonly AnsweredCall[]
  /** The server was restarted: who serves calls again is dispatched those that it owes an answer. */
  restarted(): void
  registered(client: ServedClient): void
}

export interface TestCallsOptions {
  readonly registry: Pick<ToolClientRegistry, "dispatch" | "forEach">
  readonly person: Pick<TestPerson, "of">
  clients(): readonly ServedClient[]
}

interface OpenCall {
  readonly instanceId: string
  readonly answered: Deferred<ToolAnswer>
  dispatch(clientId: string): void
}

const HOW_TO_REGISTER =
  " What was just rendered or added is published a little later: await session.settle() first, or render with renderWithSession(). A SessionProvider in it hides this session: render what is inside your SessionProvider."

/** Of a name as the model sees it. */
const ownNameText = (tool: string, all: readonly ServedClient[]): string => {
  for (const { name, tools } of all) {
    const spec = tools.find((one) => modelToolName(name, one.name) === tool)
    if (spec) return ` Use the tool's own name here: "${spec.name}".`
  }
  return ""
}

/** How long the page may take to hear that its answer was taken, in turns of the event loop. */
const TURNS_UNTIL_TOLD = 12

export function createTestCalls({ registry, person, clients }: TestCallsOptions): TestCalls {
  const open = new Map<string, OpenCall>()
  const settled = new Map<string, ToolAnswer>()
  const answered: AnsweredCall[] = []
  /** Calls that a restart took from their clients, until those are registered again. */
  let orphans: OpenCall[] = []

  function ownerOf(tool: string, client: string | undefined): ServedClient {
    const all = clients()
    const owners = all.filter((one) => (client === undefined ? one.tools.some((spec) => spec.name === tool) : one.name === client))
    const [owner] = owners
    if (owners.length === 1 && owner) return owner
    const known = all.map((one) => `${one.name} (${one.tools.map((spec) => spec.name).join(", ") || "no tools"})`).join("; ")
    throw new Error(`${owners.length} tool clients could take "${tool}"${client ? ` of "${client}"` : ""}. Registered: ${known || "none"}.${all.length === 0 ? HOW_TO_REGISTER : ownNameText(tool, all)}`)
  }

  function recordOf(callId: string): CallRecord | undefined {
    let found: CallRecord | undefined
    registry.forEach(({ client }) => (found ??= client.state.calls.find((call) => call.callId === callId)))
    return found
  }

  return {
    answered,
    async call(tool, args, { client, callId = randomId(), deadlineMs = RESULT_DEADLINE_MS }) {
      const owner = ownerOf(tool, client)
      const played = person.of(callId, tool)
      const call: OpenCall = {
        instanceId: owner.instanceId,
        answered: open.get(callId)?.answered ?? createDeferred<ToolAnswer>(),
        dispatch: (clientId) => registry.dispatch(clientId, { callId, tool, arguments: args, deadlineMs, person: played }),
      }
      open.set(callId, call)
      const phases: CallRecord["phase"][] = []
      const look = (): void => {
        const record = recordOf(callId)
        if (record && phases.at(-1) !== record.phase) phases.push(record.phase)
        if (record?.phase === "failed") call.answered.reject(record.error)
      }
      const stops: (() => void)[] = []
      registry.forEach(({ client: each }) => stops.push(each.subscribe(look)))
      try {
        const before = settled.get(callId)
        if (before) call.answered.resolve(before)
        call.dispatch(owner.id)
        look()
        const answer = await call.answered.promise
        // The page learns that its answer was taken after it was.
        for (let count = 0; count < TURNS_UNTIL_TOLD && phases.at(-1) !== "answered"; count++) await turn()
        const whole: AnsweredCall = { ...answer, callId, phases, tool, arguments: args }
        answered.push(whole)
        return { ...answer, callId, phases }
      } finally {
        for (const stop of stops) stop()
        open.delete(callId)
      }
    },
    take(callId, answer) {
      const before = settled.get(callId)
      if (before) return before.text === answer.text && before.is_error === answer.is_error
      settled.set(callId, answer)
      open.get(callId)?.answered.resolve(answer)
      return true
    },
    restarted: () => void (orphans = [...open.values()]),
    registered({ id, instanceId }) {
      const own = orphans.filter((call) => call.instanceId === instanceId)
      orphans = orphans.filter((call) => !own.includes(call))
      for (const call of own) call.dispatch(id)
    },
  }
}

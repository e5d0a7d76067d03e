import { callSafely, type ErrorHandler, reportToConsole } from "../lib/callSafely.ts"
import { systemClock } from "../lib/clock.ts"
import { turn } from "../lib/turn.ts"
import { createWaiter } from "../lib/waiter.ts"
import { answerOfThrown } from "../tool/answer.ts"
import { canonicalJson } from "../tool/canonicalJson.ts"
import type { Offer } from "../toolClient/declaration.ts"
import { FLUSH_LIMIT_MS } from "../toolClient/dispatch.ts"
import type { LocalTools } from "../toolClient/localTools.ts"
import { NO_OFFERS, NOTHING_OFFERED } from "../toolClient/noOffers.ts"
import type { ModelContext, ModelContextTool } from "./modelContext.ts"
import { toModelContextResult, toModelContextTool } from "./modelContextTool.ts"
import { WebMcpError } from "./webMcpError.ts"

/** The name by which calls of the browser's agent are told apart in `useToolCalls`. */
export const VIA_WEBMCP = "webmcp"

export interface RegistrarOptions {
  readonly context: ModelContext
  /** The tools that are mirrored right now; `undefined` while there are none to mirror. */
  tools(): LocalTools | undefined
  exposedTo(): readonly string[] | undefined
  readonly onError: ErrorHandler
}

/** Keeps the document's tools at those that are declared. */
export interface Registrar {
  /** They may be others now: all that changes in one tick is looked at once. */
  schedule(): void
}

/** One name as this mirror has it at the browser. */
interface Registered {
  /** By value what it was registered with. */
  readonly key: string
  readonly controller: AbortController
  /** Settles, and never rejects, when the browser has said whether it takes it. */
  settled: Promise<void>
  isBlocked: boolean
}

export function createRegistrar({ context, tools, exposedTo, onError }: RegistrarOptions): Registrar {
  const registered = new Map<string, Registered>()
  /** Names that were told to be blocked, and have not been free since. */
  const told = new Set<string>()
  let isScheduled = false
  let isListening = false
  let isRetrying = false

  /** What the browser's agent calls, whichever definition it has read: looked up and checked anew. Never throws, which would be masked. */
  const executeOf = (name: string): ModelContextTool["execute"] => async (input, options) => {
    try {
      const local = tools()
      const answer = local ? await local.call(name, input ?? {}, { signal: options?.signal, via: VIA_WEBMCP }) : NOTHING_OFFERED
      await flushed()
      return toModelContextResult(answer)
    } catch (thrown) {
      return toModelContextResult(answerOfThrown(thrown))
    }
  }

  /** The agent's next call shall find what this one changed. */
  async function flushed(): Promise<void> {
    sync()
    const limit = new AbortController()
    const pending = Promise.all([...registered.values()].map((one) => one.settled))
    await Promise.race([pending, createWaiter(systemClock).wait(FLUSH_LIMIT_MS, limit.signal)])
    limit.abort()
  }

  async function register(name: string, offer: Offer, one: Registered): Promise<void> {
    const origins = exposedTo()
    try {
      await context.registerTool(toModelContextTool(offer.spec, executeOf(name)), {
        signal: one.controller.signal,
        ...(origins && { exposedTo: origins }),
      })
      told.delete(name)
    } catch (cause) {
      if (one.controller.signal.aborted) return
      one.isBlocked = true
      if (told.has(name)) return
      told.add(name)
      onError(errorOf(name, cause))
    }
  }

  /** Every name is withdrawn and registered in one task, so that nobody sees it absent: the browser has no other way to change a tool. */
  function sync(isRetry = false): void {
    const offers = tools()?.current() ?? NO_OFFERS
    const origins = exposedTo()
    for (const [name, { controller }] of registered) {
      if (offers.has(name)) continue
      controller.abort()
      registered.delete(name)
      told.delete(name)
    }
    for (const [name, offer] of offers) {
      const key = origins ? canonicalJson([offer.key, origins]) : offer.key
      const known = registered.get(name)
      if (known?.key === key && !(isRetry && known.isBlocked)) continue
      known?.controller.abort()
      const one: Registered = { key, controller: new AbortController(), settled: Promise.resolve(), isBlocked: false }
      registered.set(name, one)
      one.settled = register(name, offer, one)
    }
    listenWhile(registered.size > 0)
  }

  /** A name may be free when any tool of the document goes. What comes in one go is one attempt. */
  async function onToolChange(): Promise<void> {
    if (isRetrying || ![...registered.values()].some((one) => one.isBlocked)) return
    isRetrying = true
    await turn()
    isRetrying = false
    sync(true)
  }

  const listener = (): void => void onToolChange()
  function listenWhile(isNeeded: boolean): void {
    if (isNeeded === isListening) return
    isListening = isNeeded
    if (isNeeded) context.addEventListener("toolchange", listener)
    else context.removeEventListener("toolchange", listener)
  }

  return {
    schedule() {
      if (isScheduled) return
      isScheduled = true
      queueMicrotask(() => {
        isScheduled = false
        callSafely(() => sync(), undefined, reportToConsole)
      })
    },
  }
}

function errorOf(tool: string, cause: unknown): WebMcpError {
  // Names and descriptions are checked when they are declared, so this leaves one reason.
  if ((cause as Partial<DOMException> | undefined)?.name === "InvalidStateError") {
    return new WebMcpError("duplicate_name", `The browser's agent is not offered "${tool}": the document already has a tool of that name. It is offered once the name is free; or rename one of them.`, { tool, cause })
  }
  return new WebMcpError("refused", `The browser refused the tool "${tool}" for its agent: ${String(cause)}`, { tool, cause })
}

import type { ToolSet } from "ai"
import { callSafely, type ErrorHandler, reportToConsole } from "../../lib/callSafely.ts"
import { aFunction, checkOptions } from "../../lib/checkOptions.ts"
import type { ModelTool } from "../modelTools.ts"
import { type AgentServer, type AgentToolSource, checkSource, offeredBy, sessionSource } from "../agentToolSource.ts"
import { modelToolSet, type OnModelCall } from "./modelToolSet.ts"

export interface LiveToolsOptions {
  /**
   * The agent's own tools. They stand first, and one that is named like an offered tool hides it. Give them here: a copy such as
   * `{ ...tools, search }` would not change any more. @default none
   */
  readonly tools?: ToolSet | undefined
  /**
   * Hears of each call of an offered tool once it has been made, before it is settled: by the model's id and by the session's, so that a chat can
   * show the page's phases of a call that runs. What it throws goes to `onError`. @default nobody
   */
  readonly onCall?: OnModelCall | undefined
  /** Hears that the tools could not be read before a step, which then goes on with those last known. @default `console.error` */
  readonly onError?: ErrorHandler | undefined
}

/** A tool set for `generateText`, `streamText` and `ToolLoopAgent` that is always what is offered now. */
export interface LiveTools {
  /** One object for the whole run, changed in place: the loop reads it anew at each step. */
  readonly tools: ToolSet
  /**
   * Reads the tools anew before each step: what the last answers have brought about is offered, however far the news of it has come.
   * Overrides nothing; add yours: `prepareStep: async (step) => ({ ...(await prepareStep()), model: modelFor(step) })`. Never rejects.
   */
  readonly prepareStep: () => Promise<Readonly<Record<string, never>>>
  /** Ends the watch. A set that nobody holds any more ends it by itself, sooner or later. */
  close(): void
}

/**
 * Makes `tools` what is offered. What is offered no more is not listed any more, but stays to be found until `isNewStep`: the loop looks
 * up a call's tool again between parsing and running it, and ends without an answer where there is none.
 */
function change(tools: ToolSet, own: ToolSet, offered: ReadonlyMap<string, ToolSet[string]>, isNewStep: boolean): void {
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(tools))) {
    if (!offered.has(name) && !isNewStep) Object.defineProperty(tools, name, { ...property, enumerable: false })
    else delete tools[name]
  }
  for (const [name, tool] of [...Object.entries(own), ...offered]) {
    if (Object.hasOwn(own, name) && tool !== own[name]) continue
    Object.defineProperty(tools, name, { value: tool, enumerable: true, configurable: true, writable: true })
  }
}

/** Ends the watch of a set that was forgotten without `close()`: a request's handler that threw would leave one behind each time. */
const forgotten = new FinalizationRegistry<() => void>((stop) => stop())

/** Outside of `liveTools`, and given a function made outside of it: no closure here holds the set, which may so be forgotten. */
function watch(source: AgentToolSource, set: ToolSet, onChange: (set: ToolSet, offered: readonly ModelTool[]) => void): () => void {
  const reference = new WeakRef(set)
  const stop = source.watchTools((offered) => {
    const watched = reference.deref()
    if (watched) onChange(watched, offered)
  })
  forgotten.register(set, stop, reference)
  return () => {
    forgotten.unregister(reference)
    stop()
  }
}

const changeTo =
  (source: AgentToolSource, own: ToolSet, onCall: OnModelCall) =>
  (set: ToolSet, offered: readonly ModelTool[], isNewStep = false): void =>
    change(set, own, modelToolSet(source, offered, onCall), isNewStep)

/**
 * The tools of any source for the `ai` package: see {@link sessionTools}. Rejects when they cannot be read at first.
 *
 * @param source - Such as `remoteSource` and `actionSource` of `react-tool-client/server/mcp` give.
 */
export async function liveTools(source: AgentToolSource, options: LiveToolsOptions = {}): Promise<LiveTools> {
  checkSource("liveTools", source)
  checkOptions<LiveToolsOptions>("sessionTools and liveTools", options, {
    tools: { what: "a tool set of the ai package, such as { search: tool(…) }", admits: (value) => typeof value === "object" && value !== null && !Array.isArray(value) },
    onCall: aFunction,
    onError: aFunction,
  })
  const { tools: own = {}, onCall, onError = reportToConsole } = options
  const tell = (error: unknown): void => callSafely(onError, error, reportToConsole)
  const changeSet = changeTo(source, own, (call) => onCall && callSafely(onCall, call, tell))
  // Without a prototype: a model that calls `constructor` or `__proto__` finds nothing of the language's own.
  const tools = Object.create(null) as ToolSet
  changeSet(tools, await source.tools())
  const close = watch(source, tools, changeSet)
  return {
    tools,
    async prepareStep() {
      try {
        changeSet(tools, await offeredBy(source), true)
      } catch (error) {
        tell(error)
      }
      return {}
    },
    close,
  }
}

/**
 * The tools that a session's pages offer, for the `ai` package. Calls run in parallel, as the model makes them, are cancelled with the
 * run's abort signal, and an error answer reaches the model as one, word for word. A call of a tool that has gone meanwhile gets an
 * answer which says so. Rejects when the session is not there.
 *
 * A chat's UI is told of an error only what `toUIMessageStreamResponse({ onError })` makes of it; the message of a {@link ToolError}
 * was written for the model, and may be shown.
 *
 * @param server - In this process, or `connectSessionServer({ url, apiKey })`.
 * @example
 * const { tools, prepareStep, close } = await sessionTools(server, sessionId)
 * const { text } = await generateText({ model, prompt, tools, prepareStep, stopWhen: stepCountIs(20) }).finally(close)
 */
export const sessionTools = async (server: AgentServer, sessionId: string, options?: LiveToolsOptions): Promise<LiveTools> =>
  liveTools(sessionSource(server, sessionId), options)

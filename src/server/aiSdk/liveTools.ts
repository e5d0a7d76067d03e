import type { ToolSet } from "ai"
import { callSafely, type ErrorHandler, reportToConsole } from "../../lib/callSafely.ts"
import { aFunction, checkOptions } from "../../lib/checkOptions.ts"
import type { ModelTool } from "../modelTools.ts"
import { type AgentServer, type AgentToolSource, checkSource, offeredBy, sessionSource } from "../agentToolSource.ts"
import { modelToolSet, type OnModelCall } from "./modelToolSet.ts"

export interface LiveToolsOptions {
  /**
   * The agent's own tools. They come first, and hide offered tools of the same name. Pass them here: a copy such as `{ ...tools, search }` would no longer
   * update. @default none
   */
  readonly tools?: ToolSet | undefined
  /**
   * Called for each call of an offered tool before it is settled, with the model's id and the session's id, so a chat can show the call's progress in the page.
   * Errors it throws go to `onError`. @default none
   */
  readonly onCall?: OnModelCall | undefined
  /** Called if the tools cannot be read before a step. The step then uses the last known tools. @default `console.error` */
  readonly onError?: ErrorHandler | undefined
}

/** A tool set for `generateText`, `streamText` and `ToolLoopAgent` that updates itself. */
export interface LiveTools {
  /** One object for the whole run, changed in place. The loop reads it again at each step. */
  readonly tools: ToolSet
  /**
   * Reads the tools before each step, so the step has what the last answers changed. It overrides nothing; add your own: `prepareStep: async (step) => ({ ...(await prepareStep()), model: modelFor(step) })`. Never rejects.
   */
  readonly prepareStep: () => Promise<Readonly<Record<string, never>>>
  /** Ends the watch. It also ends some time after the tool set has been garbage-collected. */
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
 * Returns the tools of a session's pages for the `ai` package. Calls run in parallel, and the run's abort signal cancels them. An error answer reaches the
 * model as an error, word for word. A call of a tool that has been removed gets an answer that says so. Rejects if the session does not exist.
 *
 * A chat UI only sees the text that `toUIMessageStreamResponse({ onError })` returns for an error. The message of a {@link ToolError} is written for the
 * model and safe to show.
 *
 * @param server - In this process, or `connectSessionServer({ url, apiKey })`.
 * @example
 * const { tools, prepareStep, close } = await sessionTools(server, sessionId)
 * const { text } = await generateText({ model, prompt, tools, prepareStep, stopWhen: stepCountIs(20) }).finally(close)
 */
export const sessionTools = async (server: AgentServer, sessionId: string, options?: LiveToolsOptions): Promise<LiveTools> =>
  liveTools(sessionSource(server, sessionId), options)

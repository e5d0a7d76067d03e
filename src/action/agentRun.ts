import { callSafely } from "../lib/callSafely.ts"
import { type CallOutcome, runAgentCall } from "./agentCall.ts"
import type { AgentEvent, AgentModel, AgentToolCall, AgentToolOutput } from "./agentMessages.ts"
import { askModel } from "./agentModel.ts"
import type { ToolItems } from "./items.ts"
import type { Logger, Tool, ToolResumption } from "./tool.ts"
import { ToolError } from "./toolError.ts"
import { checkToolMap } from "./toolMap.ts"
import { createTranscript, type Transcript, type TranscriptEntry } from "./transcript.ts"

/** How often a run asks the model for one message of the person, where it sets no other limit. */
export const MAX_STEPS = 20

export interface AgentRunOptions {
  /** A model of the AI SDK. */
  readonly model: AgentModel
  /** What the model may call, by the key that it calls it by: in process or over HTTP. */
  readonly actions: Readonly<Record<string, Tool>>
  /** @default none */
  readonly system?: string | undefined
  /** A conversation to go on with, also one that waits for an answer. `@default` a new one */
  readonly transcript?: readonly TranscriptEntry[] | undefined
  /** How often the model is asked for one message at most. `@default` 20 */
  readonly maxSteps?: number | undefined
  /**
   * Whether what the model calls in one step runs side by side, as models mean it, or one after the other, where tools rely on what
   * earlier ones did.
   *
   * @default "parallel"
   */
  readonly concurrency?: "parallel" | "serial" | undefined
  /** @default console */
  readonly logger?: Logger | undefined
  readonly userId?: string | undefined
}

/** How far the run came. */
export type AgentResult =
  | { readonly status: "completed"; readonly text: string }
  /** A tool waits for somebody: `resume(answer)` goes on, here or in a run made of the same transcript. Of several the first one called. */
  | { readonly status: "interrupted"; readonly tool: string; readonly message: string; readonly data: unknown }

export interface AgentCallOptions {
  /** Gives the run up; calls that are open then are told to the model as given up. */
  readonly signal?: AbortSignal | undefined
  /** Hears what happens as it happens; the model is then asked to stream. One that throws is told to the logger. `@default` nobody hears */
  readonly onEvent?: ((event: AgentEvent) => void) | undefined
}

/**
 * An agent's loop on the AI SDK: asks the model, runs what it calls, until it calls nothing more. What a tool throws goes to the model;
 * an interrupt pauses the run. Needs the package `ai`.
 *
 * @example
 * const run = new AgentRun({ model, actions: await registry.toTools() })
 * let result = await run.send("Buy tea.", { onEvent: (event) => event.type === "text" && process.stdout.write(event.text) })
 * while (result.status === "interrupted") result = await run.resume(await ask(result.message))
 */
export class AgentRun {
  readonly #options: AgentRunOptions
  readonly #tools: ReadonlyMap<string, Tool>
  readonly #transcript: Transcript
  #isRunning = false

  /** @throws TypeError without a model or a map of tools */
  constructor(options: AgentRunOptions) {
    const { model, actions } = (options ?? {}) as Partial<AgentRunOptions>
    if (!(typeof model === "string" ? model : typeof model === "object" && model !== null)) {
      throw new TypeError("new AgentRun needs a model of the AI SDK, or the id of one.")
    }
    checkToolMap("new AgentRun needs actions", actions)
    this.#options = options
    this.#tools = new Map(Object.entries(options.actions))
    this.#transcript = createTranscript(options.transcript)
  }

  /** The conversation so far, as JSON. */
  get transcript(): readonly TranscriptEntry[] {
    return [...this.#transcript.entries]
  }

  /** The conversation's items: those that tools emit, and those that are put in here. */
  get items(): ToolItems {
    return this.#transcript.items
  }

  /** @throws ToolError `failed` (the model; or the run waits, or runs), `limit`, `aborted`, `not_installed` */
  send(text: string, options: AgentCallOptions = {}): Promise<AgentResult> {
    return this.#alone(async () => {
      const [waiting] = this.#transcript.waitingCalls()
      if (waiting) throw new ToolError("failed", waiting.call.toolName, "the run is waiting for an answer; call resume() first")
      this.#transcript.add({ type: "message", message: { role: "user", content: text } })
      return this.#goOn(options)
    })
  }

  /** Gives the answer to the tool that waits, and goes on. @throws ToolError as `send`; `failed` when none waits */
  resume(answer: unknown, options: AgentCallOptions = {}): Promise<AgentResult> {
    return this.#alone(async () => {
      const [waiting] = this.#transcript.waitingCalls()
      if (!waiting) throw new ToolError("failed", "", "the run is not waiting for an answer")
      await this.#run([waiting.call], options, { state: waiting.interrupt.state, answer })
      return this.#goOn(options)
    })
  }

  async #alone(task: () => Promise<AgentResult>): Promise<AgentResult> {
    if (this.#isRunning) throw new ToolError("failed", "", "the run is in progress; wait until it ends")
    this.#isRunning = true
    try {
      return await task()
    } finally {
      this.#isRunning = false
    }
  }

  async #goOn(options: AgentCallOptions): Promise<AgentResult> {
    const { model, system, maxSteps = MAX_STEPS } = this.#options
    const onText = options.onEvent && ((text: string): void => this.#tell(options, { type: "text", text }))
    for (let step = 0; ; step++) {
      await this.#runOpen(options)
      const [waiting] = this.#transcript.waitingCalls()
      if (waiting) {
        const { toolName: tool, message, data } = waiting.interrupt
        return { status: "interrupted", tool, message, data }
      }
      if (step >= maxSteps) throw new ToolError("limit", "", `the model was asked ${maxSteps} times and still calls tools; raise maxSteps`)
      const { signal } = options
      const answer = await askModel({ model, system, messages: this.#transcript.messages(), tools: this.#tools, signal, onText })
      for (const message of answer.messages) this.#transcript.add({ type: "message", message })
      if (answer.messages.at(-1)?.role !== "tool" && this.#transcript.openCalls().length === 0) return { status: "completed", text: answer.text }
    }
  }

  /** Runs the open calls that nobody is asked about yet; one after the other, those behind one that waits wait too. */
  async #runOpen(options: AgentCallOptions): Promise<void> {
    const isSerial = this.#options.concurrency === "serial"
    const open = (): readonly AgentToolCall[] => {
      const waiting = this.#transcript.waitingCalls().map(({ call }) => call)
      return isSerial && waiting.length > 0 ? [] : this.#transcript.openCalls().filter((call) => !waiting.includes(call))
    }
    for (let calls = open(); calls.length > 0; calls = open()) await this.#run(isSerial ? calls.slice(0, 1) : calls, options)
  }

  /** Runs calls side by side, and puts what they came to into the transcript in their order. @throws what an aborted one threw */
  async #run(calls: readonly AgentToolCall[], options: AgentCallOptions, resumption?: ToolResumption): Promise<void> {
    const { logger = console, userId } = this.#options
    const outcomes = await Promise.all(
      calls.map(async (call) => {
        const { toolCallId, toolName, input } = call
        this.#tell(options, { type: "tool-call", toolCallId, toolName, input })
        const outcome = await runAgentCall(this.#tools, call, { logger, userId, signal: options.signal, resumption, items: this.items })
        this.#tellOf(outcome, options)
        return outcome
      }),
    )
    for (const outcome of outcomes) this.#keep(outcome)
    const aborted = outcomes.find(({ status }) => status === "aborted")
    if (aborted?.status !== "aborted") return
    // A call without its result would make the conversation one that no model takes.
    for (const open of this.#transcript.openCalls()) this.#answer(open, { type: "error-text", value: "The call was given up; it may have run." })
    throw aborted.error
  }

  #keep(outcome: CallOutcome): void {
    if (outcome.status === "answered") this.#answer(outcome.call, outcome.output)
    if (outcome.status !== "interrupted") return
    const { toolCallId, toolName } = outcome.call
    const { message, data, state } = outcome.interrupt
    this.#transcript.add({ type: "interrupt", toolCallId, toolName, message, data, state })
  }

  #answer({ toolCallId, toolName }: AgentToolCall, output: AgentToolOutput): void {
    this.#transcript.add({ type: "message", message: { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] } })
  }

  #tellOf(outcome: CallOutcome, options: AgentCallOptions): void {
    const { toolCallId, toolName } = outcome.call
    if (outcome.status === "answered") this.#tell(options, { type: "tool-result", toolCallId, toolName, output: outcome.output })
    if (outcome.status !== "interrupted") return
    const { message, data } = outcome.interrupt
    this.#tell(options, { type: "interrupt", toolCallId, toolName, message, data })
  }

  #tell({ onEvent }: AgentCallOptions, event: AgentEvent): void {
    const { logger = console } = this.#options
    if (onEvent) callSafely(onEvent, event, (error) => logger.error("onEvent of the agent's run threw", error))
  }
}

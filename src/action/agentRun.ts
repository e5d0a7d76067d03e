import type { LanguageModel, ToolCallPart, ToolResultPart } from "ai"
import { copyJson } from "../tool/copyJson.ts"
import { reasonOf } from "../tool/reason.ts"
import { askModel } from "./agentModel.ts"
import type { ToolItems } from "./items.ts"
import type { Logger, Tool, ToolResumption } from "./tool.ts"
import { ToolError } from "./toolError.ts"
import { ToolInterrupt } from "./toolInterrupt.ts"
import { createTranscript, type Transcript, type TranscriptEntry } from "./transcript.ts"

/** How often a run asks the model for one message of the person, where it sets no other limit. */
export const MAX_STEPS = 20

export interface AgentRunOptions {
  /** A model of the AI SDK. */
  readonly model: LanguageModel
  /** What the model may call, by the key that it calls it by: in process or over HTTP. */
  readonly actions: Readonly<Record<string, Tool>>
  /** @default none */
  readonly system?: string | undefined
  /** A conversation to go on with, also one that waits for an answer. `@default` a new one */
  readonly transcript?: readonly TranscriptEntry[] | undefined
  /** How often the model is asked for one message at most. `@default` 20 */
  readonly maxSteps?: number | undefined
  /** @default console */
  readonly logger?: Logger | undefined
  readonly userId?: string | undefined
}

/** How far the run came. */
export type AgentResult =
  | { readonly status: "completed"; readonly text: string }
  /** A tool waits for somebody: `resume(answer)` goes on, here or in a run made of the same transcript. */
  | { readonly status: "interrupted"; readonly tool: string; readonly message: string; readonly data: unknown }

export interface AgentCallOptions {
  /** Gives the run up; calls that are open then are told to the model as given up. */
  readonly signal?: AbortSignal | undefined
}

type ToolOutput = ToolResultPart["output"]

/**
 * An agent's loop on the AI SDK: asks the model, runs what it calls one after the other, until it calls nothing more. What a tool
 * throws goes to the model; an interrupt pauses the run. Needs the package `ai`.
 *
 * @example
 * const run = new AgentRun({ model, actions: await registry.toTools() })
 * let result = await run.send("Buy tea.")
 * while (result.status === "interrupted") result = await run.resume(await ask(result.message))
 */
export class AgentRun {
  readonly #options: AgentRunOptions
  readonly #tools: ReadonlyMap<string, Tool>
  readonly #transcript: Transcript
  #isRunning = false

  constructor(options: AgentRunOptions) {
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
    return this.#alone(options, async (signal) => {
      const waiting = this.#transcript.openInterrupt()
      if (waiting) throw new ToolError("failed", waiting.toolName, "the run waits for an answer; give it by resume() first")
      this.#transcript.add({ type: "message", message: { role: "user", content: text } })
      return this.#goOn(signal)
    })
  }

  /** Gives the answer to the tool that waits, and goes on. @throws ToolError as `send`; `failed` when none waits */
  resume(answer: unknown, options: AgentCallOptions = {}): Promise<AgentResult> {
    return this.#alone(options, async (signal) => {
      const waiting = this.#transcript.openInterrupt()
      const call = this.#transcript.openCalls().find(({ toolCallId }) => toolCallId === waiting?.toolCallId)
      if (!waiting || !call) throw new ToolError("failed", "", "the run waits for no answer")
      return (await this.#call(call, signal, { state: waiting.state, answer })) ?? this.#goOn(signal)
    })
  }

  async #alone({ signal }: AgentCallOptions, task: (signal: AbortSignal | undefined) => Promise<AgentResult>): Promise<AgentResult> {
    if (this.#isRunning) throw new ToolError("failed", "", "the run is under way; wait until it is through")
    this.#isRunning = true
    try {
      return await task(signal)
    } finally {
      this.#isRunning = false
    }
  }

  async #goOn(signal: AbortSignal | undefined): Promise<AgentResult> {
    const { model, system, maxSteps = MAX_STEPS } = this.#options
    for (let step = 0; ; step++) {
      for (const call of this.#transcript.openCalls()) {
        const paused = await this.#call(call, signal)
        if (paused) return paused
      }
      if (step >= maxSteps) throw new ToolError("limit", "", `the model was asked ${maxSteps} times and still calls tools; raise maxSteps`)
      const answer = await askModel({ model, system, messages: this.#transcript.messages(), tools: this.#tools, signal })
      for (const message of answer.messages) this.#transcript.add({ type: "message", message })
      if (answer.messages.at(-1)?.role !== "tool" && this.#transcript.openCalls().length === 0) return { status: "completed", text: answer.text }
    }
  }

  /** Runs one call of the model's. Gives what pauses the run, if that does. */
  async #call(call: ToolCallPart, signal: AbortSignal | undefined, resumption?: ToolResumption): Promise<AgentResult | undefined> {
    const { toolName, toolCallId, input } = call
    const { logger = console, userId } = this.#options
    try {
      const tool = this.#tools.get(toolName)
      if (!tool) throw new ToolError("not_found", toolName, `there is no such tool; there are ${[...this.#tools.keys()].join(", ")}`)
      this.#answer(call, outputOf(await tool.execute(input, { logger, userId, signal, resumption, items: this.items })))
      return undefined
    } catch (thrown) {
      if (thrown instanceof ToolInterrupt) {
        const { message, data, state } = thrown
        this.#transcript.add({ type: "interrupt", toolCallId, toolName, message, data, state })
        return { status: "interrupted", tool: toolName, message, data }
      }
      if (signal?.aborted) {
        // A call without its result would make the conversation one that no model takes.
        for (const open of this.#transcript.openCalls()) this.#answer(open, { type: "error-text", value: "It was given up; it may have run." })
        throw thrown
      }
      this.#answer(call, { type: "error-text", value: reasonOf(thrown) })
      return undefined
    }
  }

  #answer({ toolCallId, toolName }: ToolCallPart, output: ToolOutput): void {
    this.#transcript.add({ type: "message", message: { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] } })
  }
}

/** A result as the model reads it. */
function outputOf(value: unknown): ToolOutput {
  if (value === undefined) return { type: "text", value: "The tool ran and returned nothing." }
  if (typeof value === "string") return { type: "text", value }
  const copy = copyJson(value)
  // The copy is JSON, as the SDK's type says it; ours is read-only.
  return copy.ok ? { type: "json", value: copy.value as Extract<ToolOutput, { type: "json" }>["value"] } : { type: "error-text", value: `The result is not JSON: ${copy.reason}` }
}

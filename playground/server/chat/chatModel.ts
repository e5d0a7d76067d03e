import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import type { LanguageModel } from "ai"
import { createScriptedModel } from "./scriptedModel.ts"

/** Small and quick; `OPENAI_MODEL` and `ANTHROPIC_MODEL` name another. */
const OPENAI_MODEL = "gpt-5-mini"
const ANTHROPIC_MODEL = "claude-haiku-4-5"

/** Who answers in the chat. */
export interface ChatModel {
  /** For people: `scripted`, or a provider's model. */
  readonly name: string
  /** @param clientName - The tool client of the page that asks, whose tools a script prefers. */
  model(clientName: string): LanguageModel
}

/** A provider's model where its key is in the environment, else a script, so that a fresh clone needs no key. */
export function chatModelOf(env: Readonly<Record<string, string | undefined>>): ChatModel {
  const { OPENAI_API_KEY, ANTHROPIC_API_KEY } = env
  if (OPENAI_API_KEY) {
    const id = env["OPENAI_MODEL"] || OPENAI_MODEL
    const model = createOpenAI({ apiKey: OPENAI_API_KEY })(id)
    return { name: id, model: () => model }
  }
  if (ANTHROPIC_API_KEY) {
    const id = env["ANTHROPIC_MODEL"] || ANTHROPIC_MODEL
    const model = createAnthropic({ apiKey: ANTHROPIC_API_KEY })(id)
    return { name: id, model: () => model }
  }
  return { name: "scripted", model: createScriptedModel }
}

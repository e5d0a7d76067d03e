/** What the model is told: the tools of every client that serves, each under `client__<client>__<tool>`. */
import { modelToolName } from "../wire/limits.ts"
import type { ToolSpec } from "../wire/messages.ts"
import type { SessionState, ToolClientRecord } from "./sessionState.ts"

/** A tool as an agent sees it: its {@link ToolSpec} under the name that the model calls. */
export type ModelTool = ToolSpec

export interface Offer {
  readonly client: ToolClientRecord
  readonly tool: ToolSpec
}

function* offers(session: SessionState): Generator<Offer> {
  for (const client of session.clients) {
    if (client.presence.type !== "serving") continue
    for (const tool of client.tools) yield { client, tool }
  }
}

export const modelTools = (session: SessionState): readonly ModelTool[] =>
  Array.from(offers(session), ({ client, tool }) => ({ ...tool, name: modelToolName(client.name, tool.name) }))

/** Names are compared as a whole, never taken apart, so that no name can be read in two ways. */
export function findOffer(session: SessionState, name: string): Offer | undefined {
  for (const offer of offers(session)) {
    if (modelToolName(offer.client.name, offer.tool.name) === name) return offer
  }
  return undefined
}

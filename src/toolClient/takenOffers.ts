import { errorText } from "../lib/errorText.ts"
import { ToolDefinitionError } from "../tool/toolDefinitionError.ts"
import { type Offer, type Offers, sameOffer } from "./declaration.ts"
import type { ToolClientPort } from "./port.ts"

/** Of what is offered, what the other side takes: not more than it says, and nothing that it has refused. */
export interface TakenOffers {
  /** The same object where that is all. What is left out is told, once. */
  of(offers: Offers): Offers
  /** Whether the refusal says what would be taken instead of what was sent, so that it can be tried at once. */
  learn(error: unknown, sent: Offers): boolean
  /** Another server may take what this one did not. */
  forget(): void
}

export function createTakenOffers(clientName: string, port: Pick<ToolClientPort, "maxTools" | "failureOf">, tell: (tool: string, error: unknown) => void): TakenOffers {
  let max = port.maxTools ?? Infinity
  /** By name, what was refused: until its definition is another one. */
  const refused = new Map<string, { readonly offer: Offer; readonly error: unknown }>()
  /** By name, what was told of those that are left out now. */
  let told = new Map<string, string>()

  return {
    of(offers) {
      const before = told
      told = new Map()
      const taken = new Map<string, Offer>()
      const leaveOut = (name: string, reason: string, code: "refused" | "too_many_tools", why: string, cause?: unknown): void => {
        told.set(name, reason)
        if (before.get(name) !== reason) tell(name, new ToolDefinitionError(code, name, why, [], cause))
      }
      for (const [name, offer] of offers) {
        const refusal = refused.get(name)
        if (refusal && sameOffer(refusal.offer, offer)) {
          const reason = errorText(refusal.error)
          leaveOut(name, reason, "refused", `it is left out until its definition changes, since the server refuses it: ${reason}`, refusal.error)
        } else if (taken.size >= max) {
          leaveOut(name, "", "too_many_tools", `"${clientName}" has ${offers.size} tools, and the server takes ${max}: it is left out until others go`)
        } else taken.set(name, offer)
      }
      return told.size > 0 ? taken : offers
    },
    learn(error, sent) {
      const { maxTools = Infinity, refusedTools = [] } = port.failureOf(error)
      const names = refusedTools.filter((name) => sent.has(name))
      for (const name of names) refused.set(name, { offer: sent.get(name)!, error })
      const isFewer = maxTools < max
      if (isFewer) max = maxTools
      return isFewer || names.length > 0
    },
    forget() {
      max = port.maxTools ?? Infinity
      refused.clear()
    },
  }
}

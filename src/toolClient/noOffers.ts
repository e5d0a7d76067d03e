import type { ToolAnswer } from "../tool/toolSpec.ts"
import type { Offers } from "./declaration.ts"

/**
 * What there is where there is no tool client yet, or none any more. In a file that needs nothing else: hooks have it in a page's first load, and must
 * not bring along what makes other answers.
 */
export const NO_OFFERS: Offers = new Map()

/** What is answered where nothing is offered any more. */
export const NOTHING_OFFERED: ToolAnswer = Object.freeze({ text: "The page does not offer this tool any more. It did not run.", is_error: true })

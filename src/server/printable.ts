/** What JSON leaves as it is and a terminal obeys or a viewer breaks the line at: DEL, C1 and the two separators of Unicode. */
const UNSAFE = /[\u007f-\u009f\u2028\u2029]/g

/**
 * A value as JSON on one line of harmless characters, whatever is in it: what a page or a caller has chosen cannot write a line of its own into a
 * log, nor move a terminal's cursor.
 */
export const printable = (value: unknown): string =>
  JSON.stringify(value).replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** How much of what somebody has sent stands in a refusal, in characters: enough to know it by. */
const QUOTED_LENGTH = 120

/** What was sent, in a refusal: in quotes, on one line, and not all of it where it is long. */
export const quoted = (text: string): string => printable(text.length > QUOTED_LENGTH ? `${text.slice(0, QUOTED_LENGTH)}…` : text)

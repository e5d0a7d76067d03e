/** What JSON leaves as it is and a terminal obeys or a viewer breaks the line at: DEL, C1 and the two separators of Unicode. */
const UNSAFE = /[\u007f-\u009f\u2028\u2029]/g

/**
 * A value as JSON on one line of harmless characters, whatever is in it: what a page or a caller has chosen cannot write a line of its own into a
 * log, nor move a terminal's cursor.
 */
export const printable = (value: unknown): string =>
  JSON.stringify(value).replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

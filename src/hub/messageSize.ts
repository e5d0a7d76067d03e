import { MAX_MESSAGE_BYTES } from "./messages.ts"

/** Pure: whether a message, as it is written, is larger than one may be. UTF-8 takes three bytes a UTF-16 unit at most, so most texts need no encoding. */
export const isTooLarge = (text: string): boolean =>
  text.length * 3 > MAX_MESSAGE_BYTES && new TextEncoder().encode(text).length > MAX_MESSAGE_BYTES

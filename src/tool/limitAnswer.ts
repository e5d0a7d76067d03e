import type { ToolAnswer } from "./toolSpec.ts"

/**
 * The longest text of an answer where the tool sets no `maxResultBytes`, in bytes of UTF-8. Agents' hosts cap a tool's text
 * between 50 and 128 KB, and a model's context is fuller than that long before.
 */
export const MAX_RESULT_BYTES: number = 128 * 1024

/** Bytes that continue a character begin with the bits 10. */
const continues = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

const notice = (cut: number, total: number): string =>
  `\n[${cut} of ${total} bytes were cut out here, ask for less]\n`

/**
 * Cuts the middle out of an answer's text that is longer than `maxBytes`, and says there how much is missing. Head and tail
 * remain, no character is split, and the whole, notice included, is never longer than `maxBytes`. The same object where nothing
 * is cut.
 *
 * @param maxBytes - Bytes of UTF-8. `@default` {@link MAX_RESULT_BYTES}
 */
export function limitAnswer(answer: ToolAnswer, maxBytes: number = MAX_RESULT_BYTES): ToolAnswer {
  const { text } = answer
  // A UTF-16 unit takes three bytes at most, so most answers need no encoding.
  if (text.length * 3 <= maxBytes) return answer
  const bytes = new TextEncoder().encode(text)
  const total = bytes.length
  if (total <= maxBytes) return answer
  const room = maxBytes - notice(total, total).length
  if (room <= 0) return { ...answer, text: notice(total, total).slice(0, maxBytes) }
  let head = Math.ceil(room / 2)
  let tail = total - Math.floor(room / 2)
  while (continues(bytes[head])) head--
  while (continues(bytes[tail])) tail++
  const decode = (part: Uint8Array): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(part)
  return { ...answer, text: decode(bytes.subarray(0, head)) + notice(tail - head, total) + decode(bytes.subarray(tail)) }
}

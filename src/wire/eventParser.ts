/** One event of a stream as it came. */
export interface ParsedEvent {
  /** `message` where none is said. */
  readonly type: string
  readonly data: string
  /** Missing where the event has none of its own. */
  readonly id: string | undefined
}

/**
 * Reads the text of an event stream in pieces that end anywhere (HTML Standard, "Interpreting an event stream"). `retry` and comments are
 * passed over: when to come back is the connection's own decision.
 *
 * @param onEvent - May throw: the stream is then not to be read any further.
 * @param maxCharacters - Of an event that is not whole yet.
 * @param onTooLarge - An event is larger than that; throws.
 */
export function createEventParser(onEvent: (event: ParsedEvent) => void, maxCharacters: number, onTooLarge: () => never): (text: string) => void {
  let unended = ""
  /** The two halves of a line's end may come apart. */
  let endedWithReturn = false
  let type = ""
  let id: string | undefined
  let data: string | undefined

  function readLine(line: string): void {
    if (!line) {
      if (data !== undefined) onEvent({ type: type || "message", data, id })
      type = ""
      data = id = undefined
      return
    }
    const colon = line.indexOf(":")
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1))
    if (field === "data") data = data === undefined ? value : `${data}\n${value}`
    else if (field === "event") type = value
    else if (field === "id" && !value.includes("\0")) id = value
  }

  return (text) => {
    if (!text) return
    const lines = (endedWithReturn && text.startsWith("\n") ? text.slice(1) : text).split(/\r\n?|\n/)
    endedWithReturn = text.endsWith("\r")
    // Joined, but not searched again: a long line that comes in many pieces is read once.
    lines[0] = unended + lines[0]
    unended = lines.pop() as string
    for (const line of lines) readLine(line)
    if (unended.length + (data?.length ?? 0) > maxCharacters) onTooLarge()
  }
}

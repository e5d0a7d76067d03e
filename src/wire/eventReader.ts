import { SessionError } from "./sessionError.ts"

/** One line or event of the stream may hold this many characters; more is a broken or hostile server. */
export const STREAM_BUFFER_MAX_CHARACTERS = 8 * 1024 * 1024

/** One event of a stream: its `id` is missing where it has none of its own. */
export interface StreamedEvent {
  readonly type: string
  readonly data: string
  readonly id: string | undefined
}

/**
 * Reads an event stream (HTML Standard, "Interpreting an event stream") part by part; what is given is decoded, without a byte order mark.
 * `retry` is not looked at: the back-off is the client's own.
 *
 * @returns what takes the next part. @throws SessionError `bad_stream` for an event that is too large.
 */
export function createEventReader(onEvent: (event: StreamedEvent) => void): (text: string) => void {
  /** What has come of the line that is not at its end yet, and of the event. */
  let line = ""
  let type = ""
  let data = ""
  let id: string | undefined
  /** A CR that ended a part: an LF that begins the next one belongs to it. */
  let heldBack = ""

  function readLine(): void {
    if (line === "") {
      // The last line feed is the field's end.
      if (data) onEvent({ type: type || "message", data: data.slice(0, -1), id })
      type = data = ""
      id = undefined
    }
    // A comment has no name.
    const [, field, value = ""] = /^(event|data|id)(?:: ?(.*))?$/s.exec(line) ?? []
    if (field === "event") type = value
    if (field === "data") data += `${value}\n`
    if (field === "id" && !value.includes("\0")) id = value
    line = ""
  }

  return (text) => {
    const part = heldBack + text
    heldBack = part.endsWith("\r") ? "\r" : ""
    const [first = "", ...others] = part.slice(0, part.length - heldBack.length).split(/\r\n?|\n/)
    line += first
    for (const next of others) {
      readLine()
      line = next
    }
    if (line.length + data.length > STREAM_BUFFER_MAX_CHARACTERS) throw new SessionError("bad_stream", "An event of the stream is too large.")
  }
}

/** What the session server's routes answer, before it is known how it is sent. */

/** Where a stream's text goes: a page's connection. */
export interface StreamSink {
  /** Whether there is room for more: false once as much waits for the reader as may. */
  readonly hasRoom: boolean
  write(text: string): void
  /** Ends once what waits has been sent. */
  end(): void
  /** Breaks off at once: what waits is thrown away. */
  cut(error: Error): void
}

/** What its connection tells a stream. */
export interface StreamSource {
  /** There is room again. May come for nothing. */
  onRoom(): void
  /** The reader has gone: nothing more can be written. */
  onGone(): void
}

/** A body that is written as things happen. Whoever is given one opens it, once, at once, also when its reader has gone meanwhile. */
export interface StreamBody {
  /** Bytes that may wait for the reader. */
  readonly maxQueueBytes: number
  open(sink: StreamSink): StreamSource
}

export interface Reply {
  readonly status: number
  /** By names in small letters. */
  readonly headers: Readonly<Record<string, string>>
  /** Null for none. */
  readonly body: string | StreamBody | null
}

const JSON_TYPE = "application/json"

export const jsonReply = (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers: { "content-type": JSON_TYPE, ...headers },
  body: JSON.stringify(body),
})

export const noContent: Reply = { status: 204, headers: {}, body: null }

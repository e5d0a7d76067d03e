/** One request to the session's server. `path` starts with a slash, below the base URL. */
export interface TransportRequest {
  readonly method: "POST" | "PUT" | "DELETE"
  readonly path: string
  readonly token: string
  readonly body?: unknown
  /** The request outlives the page. @default false */
  readonly keepalive?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** Whatever the server answered; deciding what a status means is the caller's. */
export interface TransportResponse {
  readonly status: number
  /** The parsed JSON body, `undefined` where there is none. */
  readonly body: unknown
  readonly retryAfterMs?: number | undefined
}

/** One event as it came: nothing of it is checked yet. */
export interface RawEvent {
  readonly type: string
  readonly data: string
}

export interface StreamRequest {
  readonly path: string
  readonly token: string
  /** Where an earlier stream stopped. */
  readonly lastEventId?: string | undefined
  readonly signal: AbortSignal
  /** The server has said 200 and that events follow. */
  onOpen(): void
  /** Bytes came, whatever they say: the stream is alive. */
  onBytes(): void
  onEvent(event: RawEvent): void
  /** The id to resume from has moved. */
  onId(id: string): void
}

/** How bytes go to and fro; HTTP in a page, a function call in tests. */
export interface Transport {
  /** What a path stands behind, for messages. */
  readonly baseUrl: string
  /** @throws SessionError `network` when no answer came. */
  request(request: TransportRequest): Promise<TransportResponse>
  /**
   * Runs one stream; resolves when the server ends it.
   * @throws SessionError `network` when it was cut or aborted, `bad_stream` when it is none, or what `errorOfResponse` makes of the status.
   */
  stream(request: StreamRequest): Promise<void>
}

/** The answer to a request for a stream, before anything of its body is read. */
export interface ByteStream {
  readonly status: number
  /** A header's value, `null` when it is not there. `name` is lower case. */
  header(name: string): string | null
  /** Hands over the body as it comes; resolves at its end, rejects when it is cut or aborted, and ends it when `onChunk` throws. */
  read(onChunk: (chunk: Uint8Array) => void): Promise<void>
}

/** Opens a stream by `GET`; rejects when no answer comes or `signal` aborts. */
export type OpenByteStream = (
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<ByteStream>

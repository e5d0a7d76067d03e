/** What a page is told by its address. */
export interface PageOptions {
  /** The origin that the page is loaded from. @default the session server's own */
  readonly from: string
  /** Where the session server is. @default the page's own origin */
  readonly server: string
  /** What the page calls itself in the answers of its tool `who`. */
  readonly label: string
  /** Seconds of its tool client's lifetime. @default the library's */
  readonly ttl: number
  /** What the page's jitter is made of: 1 for the longest waits. @default by chance */
  readonly chance: number
  /** Whether timers fire from within another timer only, so that a hidden page has none that is not throttled. */
  readonly chained: boolean
  /** Whether a new note takes long to render. */
  readonly slow: boolean
}

/**
 * The browser's own place for a page's tools, as much of it as is used here: WebMCP's `document.modelContext`, in Chromium from 152 on
 * (in 156 still behind `--enable-features=WebMCP`, or an origin trial's token).
 */

/** What the browser lets an agent know of a tool; it drops what it does not know. */
export interface ModelContextAnnotations {
  readonly readOnlyHint?: boolean
  readonly untrustedContentHint?: boolean
  /** It does something in the world that is hard to take back. */
  readonly consequentialHint?: boolean
}

export interface ModelContextTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: object
  readonly annotations?: ModelContextAnnotations
  /** The browser checks no arguments, and hides what is thrown from the agent. */
  execute(input: unknown, options?: { readonly signal?: AbortSignal }): Promise<unknown>
}

export interface ModelContext {
  /** Rejects with `InvalidStateError` where the document has a tool of that name. Aborting `signal` is the only way back. */
  registerTool(
    tool: ModelContextTool,
    options: { readonly signal: AbortSignal; readonly exposedTo?: readonly string[] },
  ): Promise<void> | void
  /** `toolchange` is fired after tools came or went, whoever's they are. */
  addEventListener(type: "toolchange", listener: () => void): void
  removeEventListener(type: "toolchange", listener: () => void): void
}

/** `undefined` on a server, in a worker, in an insecure context, and in a browser that has no such thing. */
export function findModelContext(): ModelContext | undefined {
  const { document } = globalThis as { readonly document?: { readonly modelContext?: ModelContext } }
  const context = document?.modelContext
  return typeof context?.registerTool === "function" ? context : undefined
}

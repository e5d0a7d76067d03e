import type { ToolClient } from "../toolClient/toolClient.ts"
import { createMirror, type MirrorOptions } from "./mirror.ts"

/**
 * Offers all that `client` declares to the browser's own agent too (WebMCP, `document.modelContext`), each tool under its own name:
 * `add_todo`, not `client__web__add_todo`. A call goes the way of any other: checked by the schema, in its turn, with its timeout,
 * rendered before it is answered, and seen in `useToolCalls` with `via: "webmcp"`. Where the browser has no such agent nothing happens,
 * and nothing is downloaded.
 *
 * @param client - Of any session: over HTTP, a hub's, or `createLocalSession()`'s. The session need not be connected.
 * @returns Withdraws the tools; a call that runs is still answered.
 */
export function mirrorToModelContext(client: ToolClient, options: MirrorOptions = {}): () => void {
  return createMirror(() => options).follow(client)
}

import { useContext, useEffect, useInsertionEffect, useState } from "react"
import type { Session } from "../toolClient/session.ts"
import type { ToolClient, ToolClientOptions } from "../toolClient/toolClient.ts"
import { expectGiven } from "./expectClient.ts"
import { SessionContext } from "./sessionContext.ts"
import { createToolClientHandle } from "./toolClientHandle.ts"
import { useCommitted } from "./useCommitted.ts"

/**
 * Returns a tool client, a named set of tools, for this component and those below it. It registers when the session opens. It is deleted when the last
 * component that uses this name unmounts, once its running calls are answered. Components that use one name in one session share one client with the
 * `lifetime` of the first. A refused definition goes to the `onError` that it was declared with; other errors go to the first mounted `onError`.
 *
 * The returned object never changes. If the session or the name changes, the tools move.
 *
 * Call it above components that may suspend, so the client survives a fallback.
 *
 * @throws TypeError if `session` is not a session, for example the result of `createSessionClient`.
 * @param name - The model sees it in `client__<name>__<tool>`: `A-Z a-z 0-9 _ -`, no `__`.
 */
export function useToolClient(
  session: Session | null | undefined,
  name: string,
  options: ToolClientOptions = {},
): ToolClient {
  expectGiven("useToolClient", session, "shareToolClient", "a session")
  const context = useContext(SessionContext)
  // In state, not in a memo, which Fast Refresh computes anew.
  const committed = useCommitted()
  const [handle] = useState(() => createToolClientHandle(name, committed))
  useInsertionEffect(() => handle.commit(name, options, context?.onError))
  useEffect(() => (session ? handle.attach(session, name) : undefined), [handle, session, name])
  return handle.client
}

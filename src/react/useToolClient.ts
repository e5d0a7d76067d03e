import { useContext, useEffect, useInsertionEffect, useState } from "react"
import type { Session } from "../toolClient/session.ts"
import type { ToolClient, ToolClientOptions } from "../toolClient/toolClient.ts"
import { expectGiven } from "./expectClient.ts"
import { SessionContext } from "./sessionContext.ts"
import { createToolClientHandle } from "./toolClientHandle.ts"
import { useCommitted } from "./useCommitted.ts"

/**
 * A tool client for this component and those below it: registered when the session is known and open, deleted when the last component
 * that asked for this name unmounts, once its running calls have answered. All who ask for one name in one session share one client;
 * the first one's `lifetime` holds; a definition that is refused is told to the `onError` it was declared with, anything else to the first mounted one. The same object at each render, also while `session` is `null` and when the session or
 * the name changes: the tools then move.
 *
 * Call it above what may suspend, so that the client outlives a fallback.
 *
 * @throws TypeError for a session that is none, such as what `createSessionClient` gives.
 * @param name - What the model sees in `client__<name>__<tool>`: `A-Z a-z 0-9 _ -`, no `__`.
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

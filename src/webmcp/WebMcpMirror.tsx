import { useContext, useEffect, useInsertionEffect, useState } from "react"
import { createLatest } from "../react/latest.ts"
import { SessionContext } from "../react/sessionContext.ts"
import type { ToolClient } from "../toolClient/toolClient.ts"
import { createMirror, type MirrorOptions } from "./mirror.ts"

export interface WebMcpMirrorProps extends MirrorOptions {
  /** From `useToolClient`. Nothing is offered while it is `null`. */
  readonly client: ToolClient | null | undefined
}

function createMirrorHandle() {
  const latest = createLatest<MirrorOptions>({})
  return { commit: latest.commit, mirror: createMirror(latest.current) }
}

/**
 * Offers what `client` declares to the browser's own agent too, for as long as it is mounted; see `mirrorToModelContext`. Renders nothing.
 *
 * @example
 * const page = useToolClient(session, "web")
 * return <WebMcpMirror client={page} />
 */
export function WebMcpMirror({ client, exposedTo, onError }: WebMcpMirrorProps): null {
  const context = useContext(SessionContext)
  const [{ commit, mirror }] = useState(createMirrorHandle)
  useInsertionEffect(() => commit({ exposedTo, onError: onError ?? context?.onError }))
  const origins = exposedTo?.join()
  useEffect(() => mirror.changed(), [mirror, origins])
  useEffect(() => (client ? mirror.follow(client) : undefined), [mirror, client])
  return null
}

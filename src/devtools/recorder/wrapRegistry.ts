import type { Dispatch } from "../../toolClient/port.ts"
import type { ToolClientRegistry } from "../../toolClient/toolClientRegistry.ts"

export interface RegistryWatcher {
  /** A tool client may be there that was not. */
  onClients(): void
  /** Before it reaches its client; the same call may come more than once. */
  onDispatch(dispatch: Dispatch): void
  onCancel(callId: string, reason: string): void
}

/** Puts a watcher around what a session asks of its registry, in place. Returns its removal. */
export function wrapRegistry(registry: ToolClientRegistry, { onClients, onDispatch, onCancel }: RegistryWatcher): () => void {
  const { create, share, dispatch, cancelCall } = registry
  Object.assign(registry, {
    create(...args) {
      const client = create(...args)
      onClients()
      return client
    },
    share(...args) {
      const shared = share(...args)
      onClients()
      return shared
    },
    dispatch(clientId, call) {
      onDispatch(call)
      dispatch(clientId, call)
    },
    cancelCall(callId, reason) {
      onCancel(callId, reason)
      cancelCall(callId, reason)
    },
  } satisfies Partial<ToolClientRegistry>)
  return () => {
    Object.assign(registry, { create, share, dispatch, cancelCall })
  }
}

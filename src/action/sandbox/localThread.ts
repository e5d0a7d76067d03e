import { NO_LISTENER, type SandboxThread, type ThreadListener } from "./sandboxThread.ts"
import { loadEngine } from "./sandboxEngine.ts"
import { createScriptServer } from "./scriptServer.ts"

/** No thread of its own: scripts run in that of the caller, who waits as long as they run. @throws ToolError `not_installed` */
export async function openLocalThread(): Promise<SandboxThread> {
  let listener: ThreadListener = NO_LISTENER
  let isEnded = false
  const server = createScriptServer(await loadEngine(), (message) => listener.onMessage(message))
  return {
    get isEnded() {
      return isEnded
    },
    // As from a worker: nothing is told before the one who posts has done what he was at.
    post(message) {
      queueMicrotask(() => {
        if (!isEnded) server.receive(message)
      })
    },
    listen(next) {
      if (!isEnded) listener = next
    },
    hold() {},
    letGo() {},
    terminate() {
      isEnded = true
      listener = NO_LISTENER
      server.stop()
    },
  }
}

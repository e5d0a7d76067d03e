import type { FromSandbox, ToSandbox } from "./sandboxMessages.ts"

/** Who hears a thread: the script that runs there. */
export interface ThreadListener {
  onMessage(message: FromSandbox): void
  /** The thread ended by itself, for this reason; nothing more comes. */
  onEnd(reason: string): void
}

/** Where scripts run, as its user sees it. */
export interface SandboxThread {
  /** Nothing can run there any more. */
  readonly isEnded: boolean
  post(message: ToSandbox): void
  /** Takes the place of the listener before. */
  listen(listener: ThreadListener): void
  /** On Node: keeps the process running, until it is let go. At first it is let go. */
  hold(): void
  letGo(): void
  /** Ends it in the middle of whatever it does. The listener hears nothing of it. */
  terminate(): void
}

/** Nobody's: what comes is not wanted. */
export const NO_LISTENER: ThreadListener = { onMessage() {}, onEnd() {} }

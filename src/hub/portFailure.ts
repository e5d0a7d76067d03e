import type { PortFailure } from "../toolClient/port.ts"
import { RemoteError } from "./remoteError.ts"

/**
 * Pure: what a failure means for the tool client.
 *
 * @param isWaitedFor - Whether a name that another remote has is worth another try.
 */
export function portFailureOf(error: unknown, isWaitedFor: (remotename: string) => boolean = () => false): PortFailure {
  if (!(error instanceof RemoteError)) return { kind: "refused" }
  switch (error.code) {
    case "connection_lost":
    case "timeout":
      return { kind: "retry" }
    case "already_connected":
      return { kind: isWaitedFor(error.remotename ?? "") ? "retry" : "refused" }
    case "not_connected":
      return { kind: "gone" }
    case "settled":
    case "too_large":
      return { kind: error.code }
    default:
      return { kind: "refused" }
  }
}

import type { SessionState, ToolClientState } from "react-tool-client"
import type { Tone } from "../ui/Badge.tsx"

export const SESSION_TONES: Readonly<Record<SessionState["status"], Tone>> = {
  connecting: "busy",
  open: "good",
  reconnecting: "busy",
  failed: "bad",
  closed: "quiet",
}

export const CLIENT_TONES: Readonly<Record<ToolClientState["status"], Tone>> = {
  joining: "busy",
  serving: "good",
  leaving: "quiet",
  left: "quiet",
  failed: "bad",
}

/** What to say of a connection that is not there; undefined where it is. */
export function troubleOf({ status, error }: SessionState): string | undefined {
  if (status !== "reconnecting" && status !== "failed") return undefined
  return `${status === "failed" ? "The connection has ended" : "The connection is lost and tried again"}${error ? `: ${error.message}` : "."}`
}

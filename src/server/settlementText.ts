/** What the model reads when something other than the tool settles its call: what happened, and whether the tool may have run. */
import type { SettleReason } from "../wire/messages.ts"
import { RESULT_DEADLINE_MS } from "../wire/limits.ts"
import type { PendingCall } from "./callRecord.ts"

const WHAT_HAPPENED: { readonly [Reason in Exclude<SettleReason, "answered">]: string } = {
  cancelled: "The call was cancelled before an answer came.",
  deadline: `No answer came within ${RESULT_DEADLINE_MS / 60_000} minutes.`,
  client_deleted: "The page stopped offering its tools before it answered.",
  client_expired: "The page that offers this tool gave no sign of life for too long and was taken off.",
  client_superseded: "The page that offers this tool went away (it was loaded again) before it answered.",
  client_left: "The page that offers this tool went away before it answered.",
  session_closed: "The session was closed before an answer came.",
}

const MAY_HAVE_RUN = "The tool may have run: check what it would have changed before you call it again."

/** For a call that the server knows nothing of any more, which it did while somebody waits for it. */
export const LOST_CALL_TEXT = `The server has lost the call before an answer came. ${MAY_HAVE_RUN}`

/** A call that was acked may have had its effect; one that was not is, as far as the server can tell, unspent. */
export function settlementText(call: PendingCall, reason: Exclude<SettleReason, "answered">): string {
  const consequence = call.acked
    ? MAY_HAVE_RUN
    : "The page never confirmed the call, so as far as the server can tell the tool did not run."
  return `${WHAT_HAPPENED[reason]} ${consequence}`
}

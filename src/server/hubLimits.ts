import { MAX_MESSAGE_BYTES } from "../hub/messages.ts"

/** The hub server's own numbers: what one session can make a process hold. None is part of the protocol but where it says so. */

/** The hub pings each socket this often; one that has shown no life since the last ping is dead (docs/HUB-PROTOCOL.md, "Liveness"). */
export const HUB_PING_MS = 15_000

/** Bytes that wait for a session's reader; above it nothing more is read from it until half of them are gone. */
export const PAUSE_ABOVE_BYTES: number = 1024 * 1024

/** Bytes that wait for a session's reader; above it the session is ended, since others fill its queue too. */
export const END_ABOVE_BYTES: number = 8 * 1024 * 1024

/** How often a paused session is looked at, in milliseconds. */
export const RESUME_CHECK_MS = 100

/** Remotes of one user. */
export const MAX_REMOTES = 256

/** Bytes that the list of a user's functions has, as JSON: a message's, less what stands around it (docs/HUB-PROTOCOL.md, "Limits"). One remote must not make it unreadable. */
export const MAX_LIST_BYTES: number = MAX_MESSAGE_BYTES - 1024

/** Calls of one remote that wait for their answer. */
export const MAX_PENDING_CALLS = 256

/** Prompts of one session that run. */
export const MAX_RUNNING_PROMPTS = 16

/** Characters of a remote's, a function's, a user's name and of ids that a session chooses. */
export const MAX_HUB_NAME_LENGTH = 255

/**
 * The event streams that this process holds open. A stream is a reader of its session's log with a place in it: woken up, it
 * writes what came since, as fast as its reader reads. Nothing is pushed into it, so a page that does not read (a frozen
 * one keeps its sockets open) costs one bounded queue and is closed when it does not catch up.
 */
import type { Clock, TimerHandle } from "../lib/clock.ts"
import { KEEP_ALIVE_MS, STREAM_SILENCE_MS } from "../wire/limits.ts"
import type { SessionEvent } from "../wire/messages.ts"
import { isPending } from "./callRecord.ts"
import type { StreamBody, StreamSink, StreamSource } from "./reply.ts"
import { isRevoked } from "./revocation.ts"
import type { StreamEnd, Tell } from "./serverEvents.ts"
import type { SessionServerLimits } from "./serverLimits.ts"
import { dispatchOf, type LogEvent, type SessionState } from "./sessionState.ts"
import type { SessionStore, SessionView } from "./sessionStore.ts"
import type { TokenClaims } from "./tokens.ts"

/** Events that a stream sends on its own, beside those of the log. */
type StreamEvent = LogEvent | Extract<SessionEvent, { type: "keep_alive" | "resync" }>

export interface EventStreams {
  /**
   * Takes a place among the session's streams for one that resumes after `lastEventId`, once it is opened. It ends when its reader goes, the
   * server closes, or its token is not good any more: a page then asks for a new one, and resumes.
   */
  open(access: TokenClaims, lastEventId: string | undefined): StreamBody
  /** How many streams of the session are open here. */
  count(sessionId: string): number
  /** The sessions that have streams here. */
  sessions(): readonly string[]
  /** Ends the session's streams: their pages resume, here or elsewhere. */
  end(sessionId: string): void
  /** Ends all streams. */
  close(): void
}

export type StreamLimits = Pick<SessionServerLimits, "maxStreamQueueBytes">

/** One event in the format of the HTML Standard, "Server-sent events". JSON holds no line breaks. */
export const encodeEvent = (id: string, type: string, data: unknown): string =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`

/** The event as it is sent now, or undefined when it makes no more sense: its call is settled, or another client's. */
function render(event: StreamEvent, session: SessionState, now: number): SessionEvent | undefined {
  if (event.type !== "tool_call.dispatched") return event
  const call = session.calls.get(event.data.call_id)
  if (!call || !isPending(call) || call.clientId !== event.data.client_id) return undefined
  const { id: call_id, clientId: client_id, tool, deadlineAt } = call
  const deadline_ms = Math.max(0, deadlineAt - now)
  return { type: event.type, data: { call_id, client_id, tool, arguments: call.arguments, deadline_ms } }
}

/** What a stream begins with. Dispatches of the log are left out: those that still matter follow as a whole. */
function opening(view: SessionView, lastEventId: string | undefined): readonly { id: string; event: StreamEvent }[] {
  const { session, events, lastEventId: end } = view
  const missed = lastEventId === undefined ? [] : events
  return [
    ...(missed ?? [{ id: end, event: { type: "resync", data: {} } as const }]).filter(
      ({ event }) => event.type !== "tool_call.dispatched",
    ),
    { id: end, event: { type: "session.running", data: { running: session.running } } },
    ...Array.from(session.calls.pending(), (call) => ({ id: end, event: dispatchOf(call) })),
  ]
}

export interface EventStreamsOptions {
  readonly store: SessionStore
  readonly clock: Clock
  readonly limits: StreamLimits
  readonly tell: Tell
}

export function createEventStreams({ store, clock, limits, tell }: EventStreamsOptions): EventStreams {
  const open = new Map<string, Set<() => void>>()

  function endOf(sessionId: string): void {
    for (const close of [...(open.get(sessionId) ?? [])]) close()
  }

  return {
    open(access, resumeFrom) {
      const { sessionId, expiresAt } = access
      const openedAt = clock.now()
      let place: string | undefined
      let outbox: { id: string; event: StreamEvent }[] = []
      let isEnded = false
      let isPumping = false
      let isWoken = false
      let blockedSince: number | undefined
      let timer: TimerHandle
      let unsubscribe = (): void => {}
      let sink: StreamSink | undefined

      const hasRoom = (): boolean => sink?.hasRoom ?? false
      const write = (text: string): void => sink?.write(text)

      function end(reason: StreamEnd, last: (sink: StreamSink) => void): void {
        if (isEnded) return
        isEnded = true
        unsubscribe()
        clock.clearTimeout(timer)
        const ofSession = open.get(sessionId)
        ofSession?.delete(dismiss)
        if (ofSession?.size === 0) open.delete(sessionId)
        outbox = []
        if (!sink) return
        last(sink)
        tell({ type: "stream.closed", sessionId, reason, durationMs: Math.max(0, clock.now() - openedAt) })
      }
      const close = (reason: StreamEnd): void => end(reason, (to) => to.end())
      const dismiss = (): void => close("server")
      /** What is queued is thrown away: its reader has not read for long, or will not. */
      const cut = (reason: StreamEnd, error: unknown): void => end(reason, (to) => to.cut(error as Error))

      /** Looks at each session that was read, before anything of it is told. */
      function admits(session: SessionState | undefined): session is SessionState {
        if (!session) close("session")
        else if (isRevoked(session, access)) close("token_revoked")
        return !isEnded
      }

      /** Fetches what is still to be said, and gives the session as it was then. */
      async function refill(): Promise<SessionState | undefined> {
        const view = await store.view(sessionId, place ?? resumeFrom)
        if (isEnded || !admits(view?.session) || !view) return undefined
        if (place === undefined) outbox = [...opening(view, resumeFrom)]
        else if (view.events === null) cut("slow_reader", new Error("The stream's reader has fallen behind the session's log."))
        else outbox = [...view.events]
        place = view.lastEventId
        return view.session
      }

      function writeOutbox(session: SessionState): void {
        while (!isEnded && outbox.length > 0 && hasRoom()) {
          const next = outbox.shift()
          const event = next && render(next.event, session, store.now())
          if (next && event) write(encodeEvent(next.id, event.type, event.data))
        }
      }

      async function pump(): Promise<void> {
        isWoken = true
        if (isPumping) return
        isPumping = true
        try {
          while (isWoken && !isEnded && hasRoom()) {
            isWoken = false
            // What was left over for want of room is rendered by the session as it is now.
            const session = outbox.length > 0 ? await store.read(sessionId) : await refill()
            if (isEnded || !admits(session)) return
            if (outbox.length > 0) {
              writeOutbox(session)
              isWoken = true
            }
          }
        } catch (error) {
          cut("failure", error)
        } finally {
          isPumping = false
        }
      }

      /** One timer for both: there may be very many streams. */
      function wait(): void {
        const left = expiresAt - store.now()
        timer = left <= KEEP_ALIVE_MS ? clock.setTimeout(() => close("token_expired"), left) : clock.setTimeout(keepAlive, KEEP_ALIVE_MS)
      }

      function keepAlive(): void {
        wait()
        if (hasRoom()) {
          blockedSince = undefined
          // Before the opening is written there is no place in the log to name, and the stream has had its first bytes.
          if (place !== undefined && outbox.length === 0) write(encodeEvent(place, "keep_alive", {}))
          return
        }
        blockedSince ??= clock.now()
        if (clock.now() - blockedSince >= STREAM_SILENCE_MS) cut("slow_reader", new Error("The stream's reader does not read."))
      }

      const source: StreamSource = {
        onRoom: () => void pump(),
        onGone: () => end("reader", () => {}),
      }

      function begin(to: StreamSink): StreamSource {
        // First bytes at once, so that every proxy in between passes the headers on.
        to.write(": open\n\n")
        if (isEnded) to.end()
        else {
          sink = to
          unsubscribe = store.subscribe(sessionId, () => void pump())
          wait()
          tell({ type: "stream.opened", sessionId })
          void pump()
        }
        return source
      }

      // Its place is taken at once, so that of several at the limit only one gets it.
      const ofSession = open.get(sessionId) ?? new Set()
      open.set(sessionId, ofSession.add(dismiss))
      return { maxQueueBytes: limits.maxStreamQueueBytes, open: begin }
    },
    count: (sessionId) => open.get(sessionId)?.size ?? 0,
    sessions: () => [...open.keys()],
    end: endOf,
    close() {
      for (const sessionId of [...open.keys()]) endOf(sessionId)
    },
  }
}

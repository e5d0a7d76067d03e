/**
 * The event streams that this process holds open. A stream is a reader of its session's log with a place in it: woken up, it
 * writes what came since, as fast as its reader reads. Nothing is pushed into it, so a page that does not read (a frozen
 * one keeps its sockets open) costs one bounded queue and is closed when it does not catch up.
 */
import type { Clock, TimerHandle } from "../lib/clock.ts"
import { KEEP_ALIVE_MS, STREAM_SILENCE_MS } from "../wire/limits.ts"
import type { SessionEvent } from "../wire/messages.ts"
import type { SessionServerLimits } from "./serverLimits.ts"
import { isPending, type LogEvent, type SessionState, dispatchOf } from "./sessionState.ts"
import type { SessionStore, SessionView } from "./sessionStore.ts"

/** Events that a stream sends on its own, beside those of the log. */
type StreamEvent = LogEvent | Extract<SessionEvent, { type: "keep_alive" | "resync" }>

export interface EventStreams {
  /** Opens a stream that resumes after `lastEventId`. It ends when `signal` aborts, its reader cancels, or the server closes. */
  open(sessionId: string, lastEventId: string | undefined, signal: AbortSignal): ReadableStream<Uint8Array<ArrayBuffer>>
  /** How many streams of the session are open here. */
  count(sessionId: string): number
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
  const call = session.calls.find(({ id }) => id === event.data.call_id)
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
    ...session.calls.filter(isPending).map((call) => ({ id: end, event: dispatchOf(call) })),
  ]
}

export function createEventStreams(options: { store: SessionStore; clock: Clock; limits: StreamLimits }): EventStreams {
  const { store, clock, limits } = options
  const encoder = new TextEncoder()
  const open = new Map<string, Set<() => void>>()

  return {
    open(sessionId, resumeFrom, signal) {
      let place: string | undefined
      let outbox: { id: string; event: StreamEvent }[] = []
      let isEnded = false
      let isPumping = false
      let isWoken = false
      let blockedSince: number | undefined
      let timer: TimerHandle
      let unsubscribe = (): void => {}
      let stream!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>

      const hasRoom = (): boolean => (stream.desiredSize ?? 0) > 0
      const write = (text: string): void => stream.enqueue(encoder.encode(text))

      function end(finish: () => void): void {
        if (isEnded) return
        isEnded = true
        unsubscribe()
        clock.clearTimeout(timer)
        signal.removeEventListener("abort", close)
        const ofSession = open.get(sessionId)
        ofSession?.delete(close)
        if (ofSession?.size === 0) open.delete(sessionId)
        outbox = []
        finish()
      }
      const close = (): void => end(() => stream.close())
      /** What is queued is thrown away: its reader has not read for long, or will not. */
      const cut = (reason: unknown): void => end(() => stream.error(reason))

      /** Fetches what is still to be said, and gives the session as it was then. */
      async function refill(): Promise<SessionState | undefined> {
        const view = await store.view(sessionId, place ?? resumeFrom)
        if (isEnded) return undefined
        if (!view) close()
        else if (place === undefined) outbox = [...opening(view, resumeFrom)]
        else if (view.events === null) cut(new Error("The stream's reader has fallen behind the session's log."))
        else outbox = [...view.events]
        place = view?.lastEventId
        return view?.session
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
            if (!session) close()
            else if (outbox.length > 0) {
              writeOutbox(session)
              isWoken = true
            }
          }
        } catch (error) {
          cut(error)
        } finally {
          isPumping = false
        }
      }

      function keepAlive(): void {
        timer = clock.setTimeout(keepAlive, KEEP_ALIVE_MS)
        if (hasRoom()) {
          blockedSince = undefined
          // Before the opening is written there is no place in the log to name, and the stream has had its first bytes.
          if (place !== undefined && outbox.length === 0) write(encodeEvent(place, "keep_alive", {}))
          return
        }
        blockedSince ??= clock.now()
        if (clock.now() - blockedSince >= STREAM_SILENCE_MS) cut(new Error("The stream's reader does not read."))
      }

      return new ReadableStream<Uint8Array<ArrayBuffer>>(
        {
          start(controller) {
            stream = controller
            // First bytes at once, so that every proxy in between passes the headers on.
            write(": open\n\n")
            const ofSession = open.get(sessionId) ?? new Set()
            open.set(sessionId, ofSession.add(close))
            unsubscribe = store.subscribe(sessionId, () => void pump())
            timer = clock.setTimeout(keepAlive, KEEP_ALIVE_MS)
            signal.addEventListener("abort", close)
            if (signal.aborted) close()
            else void pump()
          },
          // Not awaited: a pull that waits for the next event would hold up the reader's cancel.
          pull: () => void pump(),
          cancel: () => end(() => {}),
        },
        { highWaterMark: limits.maxStreamQueueBytes, size: (chunk) => chunk.byteLength },
      )
    },
    count: (sessionId) => open.get(sessionId)?.size ?? 0,
    close() {
      for (const ofSession of [...open.values()]) for (const close of [...ofSession]) close()
    },
  }
}

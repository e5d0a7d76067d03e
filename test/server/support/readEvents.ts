import { createParser } from "eventsource-parser"
import type { SessionEvent, SessionEventName, SessionEvents } from "../../../src/wire/messages.ts"

/** One event with the id that a stream resumes from. */
export type ReceivedEvent = SessionEvent & { readonly id: string }

export interface EventReader {
  readonly response: Response
  /** The next event, whichever it is. Rejects when the stream has ended. */
  next(): Promise<ReceivedEvent>
  /** The data of the next event of this name; those before it are passed over. */
  nextOf<Name extends SessionEventName>(name: Name): Promise<SessionEvents[Name]>
  /** What has been received and not been asked for yet. */
  readonly waiting: readonly ReceivedEvent[]
  /** Resolves when the stream has ended, to its error if it was cut. */
  readonly ended: Promise<unknown>
  cancel(): Promise<void>
}

/** Reads an event stream as a page does. */
export function readEvents(response: Response): EventReader {
  const waiting: ReceivedEvent[] = []
  const wakers = new Set<() => void>()
  let isEnded = false
  const wake = (): void => {
    for (const waker of [...wakers]) waker()
  }
  const parser = createParser({
    onEvent({ id, event, data }) {
      waiting.push({ id: id ?? "", type: event, data: JSON.parse(data) as unknown } as ReceivedEvent)
      wake()
    },
  })
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  const ended = (async () => {
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return undefined
        parser.feed(decoder.decode(value, { stream: true }))
      }
    } catch (error) {
      return error
    } finally {
      isEnded = true
      wake()
    }
  })()
  async function next(): Promise<ReceivedEvent> {
    for (;;) {
      const event = waiting.shift()
      if (event) return event
      if (isEnded) throw new Error("The stream has ended.")
      await new Promise<void>((resolve) => {
        const waker = (): void => {
          wakers.delete(waker)
          resolve()
        }
        wakers.add(waker)
      })
    }
  }
  return {
    response,
    next,
    async nextOf<Name extends SessionEventName>(name: Name) {
      for (;;) {
        const event = await next()
        if (event.type === name) return event.data as SessionEvents[Name]
      }
    },
    waiting,
    ended,
    cancel: () => reader.cancel(),
  }
}

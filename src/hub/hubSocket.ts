import type { Clock } from "../lib/clock.ts"
import type { ErrorHandler } from "../lib/callSafely.ts"
import { createDeferred, type Deferred } from "../lib/deferred.ts"
import { randomId } from "../lib/randomId.ts"
import { onAbort } from "../lib/signals.ts"
import {
  type HubAction,
  type HubEvent,
  type HubReply,
  type HubRequest,
  type HubRequests,
  MAX_MESSAGE_BYTES,
  MAX_MESSAGE_DEPTH,
  readHubMessage,
  type RemoteCallMessage,
  type RemoteCallResult,
} from "./messages.ts"
import { isTooLarge } from "./messageSize.ts"
import { errorOfReply, RemoteError } from "./remoteError.ts"
import type { WebSocketLike } from "./webSocket.ts"

/** A call that this socket brought: its answer goes over this socket or nowhere. */
export interface IncomingCall extends RemoteCallMessage {
  readonly remotename: string
}

export interface AskOptions {
  /** Milliseconds for the reply. @default none: until the socket is lost */
  readonly timeLimitMs?: number | undefined
  /** Asked by the connection for itself: a process that has nothing else to do need not stay for the reply. @default false */
  readonly isBackground?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** One open socket: what is asked over it is answered over it, or fails with it. */
export interface HubSocket {
  /** How many sockets there were before: with it a `requestId` is unique, also when the hub counts anew. */
  readonly epoch: number
  readonly lastInboundAt: number
  /** @throws RemoteError `too_large` or `connection_lost` */
  send(message: HubRequest | RemoteCallResult): void
  /** Rejects with a RemoteError, whatever happens. The message is written before it returns. */
  ask<Action extends HubAction>(action: Action, body: HubRequests[Action]["body"], options?: AskOptions): Promise<HubReply<Action>>
  receive(data: unknown): void
  /** Nothing comes or goes any more: what is still asked fails. */
  end(): void
}

export interface HubSocketOptions {
  readonly webSocket: WebSocketLike
  readonly epoch: number
  readonly clock: Clock
  onCall(call: IncomingCall): void
  onEvent(event: HubEvent): void
  /** Hears of frames that could not be read; the socket stays. */
  readonly onError: ErrorHandler
}

interface Asked {
  readonly action: HubAction
  readonly remotename: string
  readonly name: string
  readonly deferred: Deferred<Readonly<Record<string, unknown>>>
}

const isTooDeep = (value: unknown, levels: number): boolean =>
  typeof value === "object" && value !== null && (levels === 0 || Object.values(value).some((one) => isTooDeep(one, levels - 1)))

export function createHubSocket({ webSocket, epoch, clock, onCall, onEvent, onError }: HubSocketOptions): HubSocket {
  const asked = new Map<string, Asked>()
  let isOpen = true
  let lastInboundAt = clock.now()
  const lost = (action: string): RemoteError => new RemoteError("connection_lost", `The connection to the hub was lost before "${action}" was answered.`)

  function send(message: HubRequest | RemoteCallResult): void {
    if (!isOpen) throw lost(message.action)
    // The hub cannot say whose a message is that it does not read: its reply would never come.
    if (isTooDeep(message, MAX_MESSAGE_DEPTH)) throw new RemoteError("too_large", `"${message.action}" nests deeper than the ${MAX_MESSAGE_DEPTH} levels that the hub takes. Send less.`)
    const text = JSON.stringify(message)
    if (isTooLarge(text)) throw new RemoteError("too_large", `"${message.action}" is larger than the ${MAX_MESSAGE_BYTES} bytes that the hub takes. Send less.`)
    webSocket.send(text)
  }

  return {
    epoch,
    get lastInboundAt() {
      // A clock that was set back must not make a dead socket look alive until it has caught up.
      return (lastInboundAt = Math.min(lastInboundAt, clock.now()))
    },
    send,
    async ask(action, body, { timeLimitMs, signal, isBackground = false } = {}) {
      const nonce = randomId()
      const { remotename = "", function: name = "" } = (body ?? {}) as { readonly remotename?: string; readonly function?: string }
      const deferred = createDeferred<Readonly<Record<string, unknown>>>()
      asked.set(nonce, { action, remotename, name, deferred })
      const fail = (code: "timeout" | "aborted", message: string): void =>
        deferred.reject(new RemoteError(code, message, { cause: signal?.reason, remotename: remotename || undefined }))
      const timer =
        timeLimitMs === undefined
          ? undefined
          : clock.setTimeout(() => fail("timeout", `The hub did not answer "${action}" within ${timeLimitMs / 1000} s.`), timeLimitMs)
      const release = isBackground ? undefined : clock.hold()
      const stopListening = onAbort(signal, () => fail("aborted", `"${action}" was aborted by its caller.`))
      try {
        if (!signal?.aborted) send({ action, nonce, ...(body !== undefined && { body }) })
        return (await deferred.promise) as HubReply<typeof action>
      } finally {
        asked.delete(nonce)
        clock.clearTimeout(timer)
        stopListening()
        release?.()
      }
    },
    receive(data) {
      lastInboundAt = clock.now()
      try {
        if (typeof data !== "string") throw new TypeError("a message must be a text frame")
        const message = readHubMessage(data)
        switch (message.type) {
          case "call":
            return onCall({ ...message.call, remotename: message.remotename })
          case "event":
            return onEvent(message.event)
          case "complaint":
            return onError(new RemoteError("failed", `The hub could not take a message: ${message.error}`))
          case "reply": {
            const waiting = asked.get(message.nonce)
            if (message.error === undefined) return waiting?.deferred.resolve(message.reply)
            return waiting?.deferred.reject(errorOfReply(message.error, waiting.remotename, waiting.name))
          }
          default:
            return message satisfies never
        }
      } catch (cause) {
        onError(new RemoteError("failed", `A message of the hub could not be read and is skipped: ${String(cause)}`, { cause }))
      }
    },
    end() {
      isOpen = false
      for (const { action, deferred } of asked.values()) deferred.reject(lost(action))
      asked.clear()
    },
  }
}

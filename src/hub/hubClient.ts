import { documentLifecycle, type PageEvent } from "../connection/pageLifecycle.ts"
import { callSafely, type ErrorHandler, reportToConsole } from "../lib/callSafely.ts"
import { type Clock, systemClock } from "../lib/clock.ts"
import { randomId } from "../lib/randomId.ts"
import { withTimeLimit } from "../lib/signals.ts"
import { copyJson } from "../tool/copyJson.ts"
import { pathText } from "../tool/pathText.ts"
import type { JsonValue } from "../tool/toolSpec.ts"
import type { Session } from "../toolClient/session.ts"
import { createHubLink } from "./hubLink.ts"
import { checkHubOptions, type HubAuth } from "./hubOptions.ts"
import { checkCall, checkListener, checkPrompt, signalOf } from "./hubRequestChecks.ts"
import { createHubSession } from "./hubSession.ts"
import type { AskOptions, HubSocket } from "./hubSocket.ts"
import { createLocalRemotes } from "./localRemotes.ts"
import {
  type HubAction,
  type HubEvent,
  type HubReply,
  type HubRequests,
  type PromptBody,
  REMOTE_CALL_TIMEOUT_MS,
  type RemoteListEntry,
} from "./messages.ts"
import { asRemoteError, RemoteError } from "./remoteError.ts"
import type { WebSocketClass } from "./webSocket.ts"

/** The hub fails a call by itself; a reply that is this much later than that never comes. Milliseconds. */
export const REPLY_GRACE_MS = 5_000

/** A list that was asked for comes within this, or not at all. Milliseconds. */
export const LIST_TIMEOUT_MS = 10_000

/** A hub that is not connected is waited for as long as a call takes that is never answered. Milliseconds. */
export const CONNECT_PATIENCE_MS: number = REMOTE_CALL_TIMEOUT_MS + REPLY_GRACE_MS

export interface HubClientOptions {
  /** Where the hub's sockets are: `wss://hub.example.com/ws`, or `/ws` on the page's own origin. */
  readonly url: string
  /** A token, or a user name and a password; a function is asked before each connection, so that what it gives is fresh. */
  readonly auth: HubAuth
  /**
   * @default the platform's; on Node that of the package `ws`, whose open socket does not keep the process running. Another class may:
   * Node's own does until `close()`.
   */
  readonly WebSocket?: WebSocketClass | undefined
  /** @default the machine's clock */
  readonly clock?: Clock | undefined
  /**
   * Hears what goes wrong in the background: a connection that was lost, a message that could not be read, and what a tool client
   * without a handler of its own reports.
   * @default `console.error`
   */
  readonly onError?: ErrorHandler | undefined
}

export interface SignalOptions {
  /** Stops waiting when it aborts; the hub is not told, so a call may still run. */
  readonly signal?: AbortSignal | undefined
}

/** One function of a remote that can be called right now. */
export interface ListedFunction extends RemoteListEntry {
  /** Whether it is served within this page. */
  readonly isLocal: boolean
}

/**
 * One session at a hub: tool clients on it are remotes, which agents and other sessions of the same user call. Creating one starts
 * nothing; the first use connects, and the connection is kept until `close()`.
 */
export interface HubClient extends Session {
  /** A session within this page: its tool clients are remotes that never leave the page, listed and called beside the hub's. */
  readonly local: Session
  /**
   * Every function of the user's remotes, local ones first. While the hub is not connected it waits, 35 seconds at most, and what was
   * asked over a socket that is lost is asked again over the next. Rejects with a RemoteError.
   */
  remotes(options?: SignalOptions): Promise<readonly ListedFunction[]>
  /**
   * Calls a function of a remote, a local one where there is one of that name. While the hub is not connected it waits, 35 seconds at
   * most. Rejects with a RemoteError, also for an error that the remote answered with; never sent twice.
   */
  call(remotename: string, name: string, args?: unknown, options?: SignalOptions): Promise<JsonValue>
  /** Runs an agent of the hub's; resolves with its result. `options.remotes` names the remotes that become tools of the run. */
  prompt(prompt: PromptBody, options?: SignalOptions): Promise<JsonValue>
  /** Hears what the hub tells every session of the user, and the same of local remotes; returns its unsubscribe. @throws RemoteError for what is no function */
  onEvent(listener: (event: HubEvent) => void): () => void
}

/** Of a hub that lists what is no function nobody could call that. */
const isListEntry = (entry: unknown): entry is RemoteListEntry => typeof (entry as Partial<RemoteListEntry> | null)?.name === "string"

/** As over any wire, in the page too. @throws RemoteError `failed` with where JSON cannot say it */
function argumentsAsJson(args: unknown, remotename: string): unknown {
  const copy = copyJson(args)
  if (copy.ok) return copy.value
  throw new RemoteError("failed", `The arguments cannot be written as JSON: ${pathText(copy.path) || "they"}: ${copy.reason}`, { remotename })
}

/**
 * @throws TypeError for an option that is missing or wrong.
 * @example
 * const hub = createHubClient({ url: "/ws", auth: async () => ({ token: await askForToken() }) })
 */
export function createHubClient(options: HubClientOptions): HubClient {
  checkHubOptions(options)
  const { url, auth, clock = systemClock } = options
  const id = randomId()
  const onError: ErrorHandler = (error) => callSafely(options.onError ?? reportToConsole, error, reportToConsole)
  const listeners = new Set<{ readonly listener: (event: HubEvent) => void }>()
  const tell = (event: HubEvent): void => {
    for (const { listener } of [...listeners]) callSafely(listener, event, onError)
  }

  const link = createHubLink({
    url,
    auth,
    WebSocket: options.WebSocket,
    clock,
    onCall: (socket, call) => hub.onCall(socket, call),
    onEvent(event) {
      hub.onEvent(event)
      tell(event)
    },
    onError,
  })
  const hub = createHubSession({ id, url, link, clock, onError })
  const local = createLocalRemotes({ id, clock, onEvent: tell, onError })

  let stopListening: (() => void) | undefined
  let isStarted = false
  function start(): void {
    if (isStarted) return
    isStarted = true
    stopListening = documentLifecycle.listen((event: PageEvent) => hub.onPageEvent(event))
    link.connect()
  }

  /** @param patienceMs - How long a hub that is not connected is waited for. `@default` for as long as it takes */
  async function ask<Action extends HubAction>(
    action: Action,
    body: HubRequests[Action]["body"],
    { patienceMs, timeLimitMs, signal }: Pick<AskOptions, "timeLimitMs" | "signal"> & { readonly patienceMs?: number },
  ): Promise<HubReply<Action>> {
    start()
    const release = clock.hold()
    try {
      const opened: HubSocket = await (patienceMs === undefined
        ? link.whenOpen(signal)
        : withTimeLimit(clock, patienceMs, (limit) => link.whenOpen(signal, limit)))
      return await opened.ask(action, body, { timeLimitMs, signal })
    } catch (error) {
      if (error instanceof DOMException && error.name === "TimeoutError") {
        // Why it was not, the connection knows.
        const { error: reason } = link.state
        throw new RemoteError("timeout", `The hub was not connected in time for "${action}".${reason ? ` ${reason.message}` : ""}`, { cause: reason ?? error })
      }
      throw asRemoteError(error)
    } finally {
      release()
    }
  }

  /** A list changes nothing, so that it may be asked for again over another socket. */
  async function list(signal: AbortSignal | undefined): Promise<readonly RemoteListEntry[]> {
    const giveUpAt = clock.now() + CONNECT_PATIENCE_MS
    for (;;) {
      try {
        const patienceMs = Math.min(Math.max(0, giveUpAt - clock.now()), CONNECT_PATIENCE_MS)
        const { remotes }: { readonly remotes: unknown } = await ask("remote-list", undefined, { patienceMs, timeLimitMs: LIST_TIMEOUT_MS, signal })
        return Array.isArray(remotes) ? remotes.filter(isListEntry) : []
      } catch (error) {
        if ((error as RemoteError).code !== "connection_lost") throw error
      }
    }
  }

  let closing: Promise<void> | undefined
  async function close(): Promise<void> {
    await Promise.all([hub.close(), local.session.close()])
    link.close()
    stopListening?.()
    isStarted = true
    listeners.clear()
  }

  return {
    get state() {
      return hub.state
    },
    subscribe(listener) {
      start()
      return hub.subscribe(listener)
    },
    createToolClient(name, clientOptions) {
      start()
      return hub.registry.create(name, clientOptions)
    },
    registry: hub.clients,
    deleteToolClient: (client) => hub.registry.delete(client),
    shareToolClient(name, clientOptions) {
      start()
      return hub.registry.share(name, clientOptions)
    },
    retry() {
      start()
      hub.retry()
    },
    close: () => (closing ??= close()),
    local: local.session,
    async remotes(listOptions) {
      const remotes = await list(signalOf("remotes", listOptions))
      const ours = local.list().flatMap(({ remotename, tools }) =>
        tools.map(({ name, description, parameters }): ListedFunction => ({ remotename, name, description, parameters, isLocal: true })),
      )
      return [...ours, ...remotes.map((entry): ListedFunction => ({ ...entry, isLocal: false }))]
    },
    async call(remotename, name, args = {}, callOptions) {
      checkCall(remotename, name)
      const signal = signalOf("call", callOptions)
      if (local.has(remotename)) return local.call(remotename, name, args, signal)
      const body = { remotename, function: name, args: argumentsAsJson(args, remotename) }
      const { result } = await ask("remote-call", body, {
        patienceMs: CONNECT_PATIENCE_MS,
        timeLimitMs: REMOTE_CALL_TIMEOUT_MS + REPLY_GRACE_MS,
        signal,
      })
      return result
    },
    async prompt(prompt, promptOptions) {
      checkPrompt(prompt)
      const signal = signalOf("prompt", promptOptions)
      const { result } = await ask("send-agent-prompt", prompt, { signal })
      return result
    },
    onEvent(listener) {
      checkListener(listener)
      start()
      const subscription = { listener }
      listeners.add(subscription)
      return () => {
        listeners.delete(subscription)
      }
    },
  }
}

import { callSafely, type ErrorHandler, reportToConsole } from "../lib/callSafely.ts"
import { createDeferred, type Deferred } from "../lib/deferred.ts"
import { errorText } from "../lib/errorText.ts"
import { createStore } from "../lib/store.ts"
import type { AnyTool } from "../tool/tool.ts"
import { createAddedTools } from "../toolClient/addedTools.ts"
import type { ToolSource } from "../toolClient/declaration.ts"
import { NO_OFFERS, NOTHING_OFFERED } from "../toolClient/noOffers.ts"
import type { Session } from "../toolClient/session.ts"
import type { ToolClient, ToolClientOptions } from "../toolClient/toolClient.ts"
import type { SharedToolClient } from "../toolClient/toolClientRegistry.ts"
import { JOINING, type ToolClientState } from "../toolClient/toolClientState.ts"

/** What `useToolClient` gives: a tool client that is there from the first render on, whatever session it is attached to. */
export interface ToolClientHandle {
  readonly client: ToolClient
  /**
   * The last committed render's options.
   *
   * @param fallback - Hears what neither this owner nor another has a handler for.
   */
  commit(name: string, options: ToolClientOptions, fallback?: ErrorHandler): void
  /** Shares the session's client of this name and moves all tools to it in one go; returns the detachment. */
  attach(session: Session, name: string): () => void
}

interface Token {
  readonly source: ToolSource
  readonly name: string
  /** Asked for when it is declared, with or without a session: it is mounted then. */
  readonly rank: number
  withdraw?: (() => void) | undefined
}

/**
 * A child's effects run before its parent's, so tools are declared here before there is a client. A token is with the shared client
 * if and only if it is declared here and the handle is attached: any order of cleanups is then safe.
 *
 * @param committed - Awaited before an answer of what `addTool` adds; the hooks' tools bring their own.
 */
export function createToolClientHandle(firstName: string, committed: () => Promise<void>): ToolClientHandle {
  const store = createStore<ToolClientState>(JOINING, reportToConsole)
  const localChanges = createStore({}, reportToConsole)
  const localChanged = (): void => localChanges.set({})
  const tokens = new Set<Token>()
  let name = firstName
  let options: ToolClientOptions = {}
  let hearer: ErrorHandler | undefined
  let shared: SharedToolClient | undefined
  let waiting: Deferred<void> | undefined

  const onError: ErrorHandler = (error) => callSafely(options.onError ?? hearer ?? reportToConsole, error, reportToConsole)

  function declare(source: ToolSource, toolName: string): () => void {
    const token: Token = { source, name: toolName, rank: source.rank, withdraw: shared?.client.declare(source, toolName, onError) }
    tokens.add(token)
    return () => {
      tokens.delete(token)
      token.withdraw?.()
    }
  }

  // Hooks hold no code that checks: what is told without a session is looked at when there is one.
  const check = (toolName: string, tool: AnyTool): void => shared?.client.check(toolName, tool)
  const touch = (toolName: string): void => shared?.client.touch(toolName)
  const isOver = (): boolean => false

  /** A name or a lifetime that cannot be one, a session that is closed: told, and nothing is thrown out of an effect. */
  function share(session: Session, sharedName: string): SharedToolClient | undefined {
    try {
      return session.shareToolClient(sharedName, { ...options, onError, hasOwnHandler: () => !!options.onError })
    } catch (error) {
      const isNew = errorText(error) !== errorText(store.state.error)
      store.set({ ...JOINING, status: "failed", error })
      ;(waiting ??= createDeferred()).reject(error)
      // StrictMode attaches twice.
      if (isNew) onError(error)
      return undefined
    }
  }

  return {
    client: {
      get name() {
        return name
      },
      get actual() {
        return shared?.client
      },
      get state() {
        return store.state
      },
      get ready() {
        if (shared) return shared.client.ready
        waiting ??= createDeferred()
        return waiting.promise
      },
      subscribe: store.subscribe,
      ...createAddedTools({ check, declare, touch, committed, isOver }),
      check,
      declare,
      touch,
      local: {
        current: () => shared?.client.local.current() ?? NO_OFFERS,
        subscribe: localChanges.subscribe,
        call: (...args) => shared?.client.local.call(...args) ?? Promise.resolve(NOTHING_OFFERED),
      },
    },
    commit(nextName, nextOptions, fallback) {
      name = nextName
      options = nextOptions
      hearer = fallback
    },
    attach(session, sharedName) {
      const mine = share(session, sharedName)
      if (!mine) return () => {}
      shared = mine
      const { client } = mine
      const unsubscribe = client.subscribe((state) => store.set(state))
      const unsubscribeLocal = client.local.subscribe(localChanged)
      for (const token of tokens) token.withdraw = client.declare(token.source, token.name, onError)
      localChanged()
      store.set(client.state)
      // Adopts the client's own promise.
      waiting?.resolve(client.ready as unknown as void)
      waiting = undefined
      return () => {
        shared = undefined
        unsubscribe()
        unsubscribeLocal()
        localChanged()
        for (const token of tokens) {
          token.withdraw?.()
          token.withdraw = undefined
        }
        mine.release()
        store.set(JOINING)
      }
    },
  }
}

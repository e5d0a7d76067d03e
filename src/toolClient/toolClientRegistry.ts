import type { ErrorHandler } from "../lib/callSafely.ts"
import type { Clock } from "../lib/clock.ts"
import { notice } from "../lib/notice.ts"
import { randomId } from "../lib/randomId.ts"
import { unknownOptions } from "../lib/unknownOptions.ts"
import { createStore } from "../lib/store.ts"
import type { Waiter } from "../lib/waiter.ts"
import { type AnswerMemory, createAnswerMemory } from "./answerMemory.ts"
import { sameLifetime } from "./lifetime.ts"
import type { Dispatch, ToolClientPort } from "./port.ts"
import { createToolClient } from "./createToolClient.ts"
import type { ShareOptions, ToolClient, ToolClientOptions } from "./toolClient.ts"
import type { ToolClientControl } from "./toolClientControl.ts"

/** Dispatches held while a registration is in flight, at most: more is a broken server. */
const HELD_MAX = 1_000

export interface RegistryOptions {
  readonly port: ToolClientPort
  readonly clock: Clock
  readonly waiter: Waiter
  /** Of the whole page, where there are other sessions with the same server. @default one of its own */
  readonly memory?: AnswerMemory
  /** What tells this tab from others, and a reload from a new tab. Read when the first client is made. */
  readonly tab: {
    readonly value: string
    /** Another page that lives has the same id: it is another from now on. */
    renew?(): void
  }
  /** Whether the stream is open. */
  isOpen(): boolean
  readonly onError: ErrorHandler
  /** Why the session has failed; `undefined` while it has not. A client that is made then has failed, too. */
  failure?(): unknown
  /** No tool client is left. */
  onEmpty?(): void
}

/** A tool client shared by name; the last release withdraws its tools at once, and deletes it when its running calls have answered. */
export interface SharedToolClient {
  readonly client: ToolClient
  /** May be called more than once; shared again within the same tick, nothing was released. */
  release(): void
}

/** The tool clients of one session: who is there, who shares, whose a dispatch is. */
export interface ToolClientRegistry {
  readonly size: number
  /** What it was made with, which the live panel wraps. */
  readonly port: ToolClientPort
  readonly clock: Clock
  create(name: string, options?: ToolClientOptions): ToolClient
  share(name: string, options?: ShareOptions): SharedToolClient
  /** @throws TypeError for a client of another session; what the port throws. One that has left is deleted already. */
  delete(client: ToolClient): Promise<void>
  deleteAll(): Promise<void>
  /** A call for the client `clientId`: held while it may be one that is being registered, ignored when it is another process's. */
  dispatch(clientId: string, dispatch: Dispatch): void
  cancelCall(callId: string, reason: string): void
  /** The other side has deleted a client, and not because it was asked to by its page: another page has taken its place. */
  superseded(clientId: string): void
  forEach(visit: (control: ToolClientControl) => void): void
  /** Calls `listener` when a client has come or gone; returns its unsubscribe. */
  onChange(listener: () => void): () => void
}

const leftBehind = (name: string): string =>
  `the tool client "${name}" was deleted, or its session closed, and components that offer tools by it (useToolClient) are still mounted: none of their tools is offered any more. Unmount them, or give useToolClient null for its session; mounted anew, or given a session again, they register again.`

export function createToolClientRegistry(options: RegistryOptions): ToolClientRegistry {
  const controls = new Map<ToolClient, ToolClientControl & { readonly ordinal: number }>()
  const shared = new Map<string, { readonly control: ToolClientControl; readonly owners: Set<ShareOptions> }>()
  const changes = createStore({}, options.onError)
  const { memory = createAnswerMemory() } = options
  let held: (readonly [clientId: string, dispatch: Dispatch, until: number])[] = []

  const all = () => [...controls.values()]
  const namesakes = (name: string) => all().filter((control) => control.client.name === name)
  const isLeaving = (control: ToolClientControl): boolean => control.client.state.status === "leaving"

  /** The lowest that no client of this name has: after a reload the same components find the same one again. */
  function freeOrdinal(name: string): number {
    const taken = namesakes(name).filter((control) => !isLeaving(control)).map((control) => control.ordinal)
    let ordinal = 0
    while (taken.includes(ordinal)) ordinal++
    return ordinal
  }

  function add(name: string, clientOptions: ToolClientOptions = {}): ToolClientControl {
    notice(() => process.env.NODE_ENV !== "production" && unknownOptions(`the tool client "${name}"`, clientOptions, ["lifetime", "onError"]))
    const ordinal = freeOrdinal(name)
    const { tab } = options
    let tabId = tab.value
    const instanceId = (): string => `${tabId}:${name}:${ordinal}`
    const control = createToolClient({
      onError: options.onError,
      ...clientOptions,
      name,
      instanceId: instanceId(),
      renewInstanceId() {
        // The first client that finds out renews it for all.
        if (tabId === tab.value) tab.renew?.()
        tabId = tab.value
        return instanceId()
      },
      loadId: randomId(),
      port: options.port,
      clock: options.clock,
      waiter: options.waiter,
      memory,
      // An earlier one of the same name is deleted first; the server would keep their names apart.
      mayRegister: () => options.isOpen() && !namesakes(name).some((other) => other.client !== control.client && other.isDeleting),
      onRegistered: matchHeld,
      onLeft() {
        controls.delete(control.client)
        if (shared.get(name)?.control === control) shared.delete(name)
        for (const other of namesakes(name)) other.nameFreed()
        if (controls.size === 0) options.onEmpty?.()
        changes.set({})
      },
    })
    controls.set(control.client, Object.assign(control, { ordinal }))
    changes.set({})
    const failure = options.failure?.()
    if (failure !== undefined) control.sessionFailed(failure)
    return control
  }

  /** Gives held calls to whom they belong; those of nobody wait for the registrations that are still in flight. */
  function matchHeld(): void {
    const waiting = held
    held = []
    for (const [clientId, dispatch, until] of waiting) {
      const deadlineMs = Math.min(until - options.clock.now(), dispatch.deadlineMs)
      if (deadlineMs > 0) api.dispatch(clientId, { ...dispatch, deadlineMs })
    }
  }

  const api: ToolClientRegistry = {
    get size() {
      return controls.size
    },
    port: options.port,
    clock: options.clock,
    create: (name, clientOptions) => add(name, clientOptions).client,
    share(name, clientOptions = {}) {
      let entry = shared.get(name)
      if (!entry) {
        const owners = new Set<ShareOptions>()
        /** Of the last one who left, when there is nobody any more. */
        let hearer = clientOptions
        const onError: ErrorHandler = (error) => {
          const living = [...owners]
          hearer = living.find(({ onError: own, hasOwnHandler }) => hasOwnHandler?.() ?? own) ?? living[0] ?? hearer
          ;(hearer.onError ?? options.onError)(error)
        }
        const { hasOwnHandler: _ofAnOwner, ...rest } = clientOptions
        entry = { control: add(name, { ...rest, onError }), owners }
        shared.set(name, entry)
      }
      const { control, owners } = entry
      const { lifetime = control.lifetime } = clientOptions
      notice(() => process.env.NODE_ENV !== "production" && !sameLifetime(lifetime, control.lifetime) && `the tool client "${name}" is shared and keeps the lifetime of its first owner; pass the same lifetime everywhere.`)
      const mine = { ...clientOptions }
      if (owners.size === 0) control.stay()
      owners.add(mine)
      return {
        client: control.client,
        release() {
          if (owners.delete(mine) && owners.size === 0) control.leaveWhenIdle()
        },
      }
    },
    async delete(client) {
      const control = controls.get((client as ToolClient | null)?.actual ?? client)
      if (!control) {
        const given = client as Partial<ToolClient> | null | undefined
        if (given?.state?.status === "left") return
        throw new TypeError(`The tool client "${given?.name}" is not one of this session's: use the session that created it, and a hook's client once it is "joining".`)
      }
      const { name } = control.client
      const entry = shared.get(name)
      if (entry?.control === control) shared.delete(name)
      await control.leave().finally(() => {
        for (const other of namesakes(name)) other.nameFreed()
      })
      // Who unmounts meanwhile, as after a sign-out, has nothing to be told.
      notice(() => process.env.NODE_ENV !== "production" && entry?.control === control && entry.owners.size > 0 && control.client.state.status === "left" && leftBehind(name))
    },
    async deleteAll() {
      const remove = (those: readonly ToolClientControl[]) => Promise.allSettled(those.map(({ client }) => api.delete(client)))
      const before = all().filter(isLeaving)
      await remove(all())
      // A DELETE that was under way already is shared, and may have failed of what was wrong then.
      await remove(before.filter(({ client }) => controls.has(client)))
    },
    dispatch(clientId, dispatch) {
      const owner = all().find((control) => control.ids.has(clientId))
      if (owner) return owner.receive(dispatch)
      const mayBeOurs = all().some((control) => control.isRegistering)
      if (mayBeOurs && held.length < HELD_MAX) held.push([clientId, dispatch, options.clock.now() + dispatch.deadlineMs])
    },
    cancelCall(callId, reason) {
      held = held.filter(([, dispatch]) => dispatch.callId !== callId)
      memory.unconfirmed.delete(callId)
      for (const control of all()) control.cancelCall(callId, reason)
    },
    superseded(clientId) {
      for (const control of all()) control.superseded(clientId)
    },
    forEach(visit) {
      for (const control of all()) visit(control)
    },
    onChange: changes.subscribe,
  }
  return api
}

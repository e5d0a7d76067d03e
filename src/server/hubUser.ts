import { createDeferred, type Deferred } from "../lib/deferred.ts"
import type { Clock } from "../lib/clock.ts"
import {
  errorText,
  type HubEvent,
  MAX_MESSAGE_BYTES,
  REMOTE_CALL_TIMEOUT_MS,
  REMOTE_EVENTS,
  type RemoteCallMessage,
  type RemoteFunction,
  type RemoteListEntry,
  requestIdOf,
} from "../hub/messages.ts"
import { isTooLarge } from "../hub/messageSize.ts"
import { RemoteError, type RemoteErrorCode } from "../hub/remoteError.ts"
import type { JsonValue } from "../tool/toolSpec.ts"
import { MAX_LIST_BYTES, MAX_PENDING_CALLS, MAX_REMOTES } from "./hubLimits.ts"
import type { RemoteOutcome } from "./hubRequests.ts"

/** One session, as its user's remotes know it. */
export interface HubMember {
  /** Counts up with each socket: of two the newer has the higher. */
  readonly order: number
  /** Whether so much waits for its reader that nothing more should be sent to it. */
  readonly isCongested: boolean
  send(message: HubEvent | RemoteCallMessage): void
}

interface Pending {
  readonly deferred: Deferred<JsonValue>
  readonly timer: unknown
}

interface Remote {
  readonly remotename: string
  readonly member: HubMember
  readonly instance: string | undefined
  tools: readonly RemoteFunction[]
  /** Of its part of the list, as JSON. */
  listBytes: number
  readonly pending: Map<string, Pending>
}

export interface ConnectBody {
  readonly remotename: string
  readonly tools: readonly RemoteFunction[]
  readonly instance?: string
}

/** The remotes of one user, as an agent's run or the user's sessions reach them. */
export interface RemoteDirectory {
  /** One entry a function. */
  list(): readonly Required<RemoteListEntry>[]
  /** `undefined` where no such remote is connected. */
  functions(remotename: string): readonly RemoteFunction[] | undefined
  /** Rejects with a RemoteError, also for an error that the remote answered with. */
  call(remotename: string, name: string, args: unknown): Promise<JsonValue>
}

export interface WatchedRemotes extends RemoteDirectory {
  /** Calls the listener each time that a remote comes, changes or goes; returns what stops it. */
  watch(listener: () => void): () => void
}

/** One user: the sessions that are open, and the remotes that they serve. Nothing of it is kept when they are gone. */
export interface HubUser extends RemoteDirectory {
  readonly isEmpty: boolean
  join(member: HubMember): void
  /** The session is closed: what it served is disconnected. */
  leave(member: HubMember): void
  /** @throws RemoteError for a name that another remote has */
  connect(member: HubMember, body: ConnectBody): void
  /** @throws RemoteError for a remote that this session does not serve */
  update(member: HubMember, remotename: string, tools: readonly RemoteFunction[]): void
  /** From any session of the user. @throws RemoteError where there is no such remote */
  disconnect(remotename: string): void
  /** Ids of no call, or of another session's, are ignored. */
  settle(member: HubMember, requestId: string, outcome: RemoteOutcome): void
}

const entriesOf = (remotename: string, tools: readonly RemoteFunction[]) => tools.map((tool) => ({ remotename, ...tool }))

/**
 * @param nextNumber - Counts the hub's calls: a number never comes again, so a late result settles nothing else.
 * @param onChange - Called when a remote has come, changed or gone.
 */
export function createHubUser(clock: Clock, nextNumber: () => number, onChange: () => void): HubUser {
  const members = new Set<HubMember>()
  const remotes = new Map<string, Remote>()

  const refuse = (code: RemoteErrorCode, text: string, remotename: string): RemoteError => new RemoteError(code, text, { remotename })

  const broadcast = (action: string, remotename: string): void => {
    for (const member of members) member.send({ action, remotename })
    onChange()
  }

  /** @throws RemoteError where the list of all would be larger than one may be, beside those that go for it */
  function listBytesOf(remotename: string, tools: readonly RemoteFunction[], gone: Remote | undefined): number {
    const listBytes = new TextEncoder().encode(JSON.stringify(entriesOf(remotename, tools))).byteLength
    let all = listBytes
    for (const remote of remotes.values()) if (remote !== gone) all += remote.listBytes
    if (all > MAX_LIST_BYTES) throw refuse("failed", `the functions of all your remotes would be ${all} bytes as a list, which may have ${MAX_LIST_BYTES}: shorten descriptions and parameters, or serve fewer`, remotename)
    return listBytes
  }

  function end(remote: Remote): void {
    const { remotename } = remote
    remotes.delete(remotename)
    for (const { deferred, timer } of remote.pending.values()) {
      clock.clearTimeout(timer)
      deferred.reject(refuse("disconnected", errorText.disconnected(remotename), remotename))
    }
    remote.pending.clear()
    broadcast(REMOTE_EVENTS.disconnected, remotename)
  }

  function known(remotename: string, member?: HubMember): Remote {
    const remote = remotes.get(remotename)
    if (remote && (!member || remote.member === member)) return remote
    throw refuse("not_connected", errorText.notConnected(remotename), remotename)
  }

  function dispatch(remote: Remote, name: string, args: unknown): Promise<JsonValue> {
    const { remotename, member, pending } = remote
    const requestId = requestIdOf(remotename, nextNumber())
    const message: RemoteCallMessage = { action: "remote-call", requestId, function: name, args }
    if (isTooLarge(JSON.stringify(message))) {
      throw refuse("invalid_request", `the arguments are larger than the ${MAX_MESSAGE_BYTES} bytes that a message may have`, remotename)
    }
    const deferred = createDeferred<JsonValue>()
    const timer = clock.setTimeout(() => {
      pending.delete(requestId)
      deferred.reject(refuse("timeout", errorText.timedOut(remotename), remotename))
    }, REMOTE_CALL_TIMEOUT_MS)
    pending.set(requestId, { deferred, timer })
    member.send(message)
    return deferred.promise
  }

  return {
    get isEmpty() {
      return members.size === 0
    },
    join: (member) => void members.add(member),
    leave(member) {
      members.delete(member)
      for (const remote of [...remotes.values()]) if (remote.member === member) end(remote)
    },
    connect(member, { remotename, tools, instance }) {
      const holder = remotes.get(remotename)
      if (holder) {
        const mayTakeOver = instance !== undefined && holder.instance === instance && holder.member.order < member.order
        if (!mayTakeOver) throw refuse("already_connected", errorText.alreadyConnected(remotename), remotename)
      } else if (remotes.size >= MAX_REMOTES) throw refuse("failed", `you have ${MAX_REMOTES} remotes already`, remotename)
      const listBytes = listBytesOf(remotename, tools, holder)
      if (holder) end(holder)
      remotes.set(remotename, { remotename, member, instance, tools, listBytes, pending: new Map() })
      broadcast(REMOTE_EVENTS.connected, remotename)
    },
    update(member, remotename, tools) {
      const remote = known(remotename, member)
      remote.listBytes = listBytesOf(remotename, tools, remote)
      remote.tools = tools
      broadcast(REMOTE_EVENTS.updated, remotename)
    },
    disconnect: (remotename) => end(known(remotename)),
    list: () => [...remotes.values()].flatMap(({ remotename, tools }) => entriesOf(remotename, tools)),
    functions: (remotename) => remotes.get(remotename)?.tools,
    async call(remotename, name, args) {
      const remote = known(remotename)
      if (!remote.tools.some((tool) => tool.name === name)) throw refuse("no_function", errorText.noFunction(remotename, name), remotename)
      if (remote.pending.size >= MAX_PENDING_CALLS) throw refuse("failed", `remote '${remotename}' has ${MAX_PENDING_CALLS} calls that wait already`, remotename)
      if (remote.member.isCongested) throw refuse("failed", `remote '${remotename}' does not read its messages`, remotename)
      return dispatch(remote, name, args)
    },
    settle(member, requestId, outcome) {
      for (const remote of remotes.values()) {
        const call = remote.member === member ? remote.pending.get(requestId) : undefined
        if (!call) continue
        remote.pending.delete(requestId)
        clock.clearTimeout(call.timer)
        if (outcome.ok) call.deferred.resolve(outcome.value)
        else call.deferred.reject(refuse("failed", outcome.error, remote.remotename))
      }
    },
  }
}

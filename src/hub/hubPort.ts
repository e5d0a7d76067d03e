import type { Clock } from "../lib/clock.ts"
import { createDeferred, settled } from "../lib/deferred.ts"
import { randomId } from "../lib/randomId.ts"
import type { Waiter } from "../lib/waiter.ts"
import { jsonValueOf } from "../tool/answer.ts"
import type { ToolAnswer, ToolSpec } from "../tool/toolSpec.ts"
import type { Dispatch } from "../toolClient/port.ts"
import type { Registration, ToolClientPort } from "../toolClient/port.ts"
import type { ToolClientControl } from "../toolClient/toolClientControl.ts"
import type { HubLink } from "./hubLink.ts"
import type { HubSocket, IncomingCall } from "./hubSocket.ts"
import { errorText, MAX_FUNCTIONS, REMOTE_CALL_TIMEOUT_MS, type RemoteFunction } from "./messages.ts"
import { portFailureOf } from "./portFailure.ts"
import { RemoteError } from "./remoteError.ts"
import { createRunningCalls } from "./runningCalls.ts"
import { createTakenNames } from "./takenNames.ts"

/** A reply about a remote that has not come by then never will: another socket takes this one's place. */
export const REPLY_TIMEOUT_MS = 10_000

/** Only what the shared shape has goes out. */
const functionsOf = (tools: readonly ToolSpec[]): readonly RemoteFunction[] =>
  tools.map(({ name, description, parameters }) => ({ name, description, parameters }))

/** A remote of the open socket. */
interface Served {
  readonly id: string
  readonly remotename: string
  readonly instance: string
  readonly loadId: string
  readonly socket: HubSocket
  /** Whether the hub has said that it is connected, and nothing was sent since that ends it. */
  isConnected: boolean
}

export interface HubPort extends ToolClientPort {
  /** Whose a call is, and how it is dispatched; `undefined`, and answered, where nothing of that name is served. */
  receive(socket: HubSocket, call: IncomingCall): { readonly clientId: string; readonly dispatch: Dispatch } | undefined
  /** A remote was disconnected and not by us: the id it had, if it was one of this socket's. */
  disconnected(remotename: string): string | undefined
  /** Nobody will answer the calls of the remote that this client is: an update need not wait for them. */
  abandonCalls(client: Pick<ToolClientControl, "client" | "ids">): void
  /** The socket is lost, and with it all that was served and called over it. Returns the calls that ran. */
  lost(): readonly string[]
}

export interface HubPortOptions {
  readonly link: Pick<HubLink, "socket" | "connect">
  readonly clock: Clock
  readonly waiter: Waiter
}

/** Tool clients as remotes of a hub (docs/HUB-PROTOCOL.md). */
export function createHubPort({ link, clock, waiter }: HubPortOptions): HubPort {
  const served = new Map<string, Served>()
  const running = createRunningCalls(clock)
  const takenNames = createTakenNames(clock, waiter)
  /** Unknown until a hub has answered its first `remote-update`. */
  let knowsUpdate: boolean | undefined
  /** Resolves when the hub turns out not to know it. */
  const withoutUpdate = createDeferred<void>()

  const byId = (id: string): Served => {
    const remote = [...served.values()].find((one) => one.id === id)
    if (remote && remote.socket === link.socket) return remote
    throw new RemoteError("not_connected", "The remote is not connected over this socket.")
  }

  /** A hub that leaves a remote's message unreplied may have lost the remote too. */
  async function patiently<Reply>(reply: Promise<Reply>): Promise<Reply> {
    try {
      return await reply
    } catch (error) {
      if (error instanceof RemoteError && error.code === "timeout" && link.socket) link.connect()
      throw error
    }
  }

  async function connect(remote: Served, tools: readonly ToolSpec[]): Promise<void> {
    const { socket, remotename, instance } = remote
    const body = { remotename, tools: functionsOf(tools), instance }
    await patiently(socket.ask("remote-connect", body, { timeLimitMs: REPLY_TIMEOUT_MS }))
    remote.isConnected = true
    takenNames.had(remotename)
  }

  async function register({ name: remotename, instanceId: instance, loadId, tools }: Registration): Promise<Served> {
    const { socket } = link
    if (!socket) throw new RemoteError("connection_lost", "The hub is not connected.")
    const known = served.get(remotename)
    if (known?.socket === socket) {
      if (known.instance !== instance || (known.loadId !== loadId && known.isConnected)) {
        throw new RemoteError("already_connected", `${errorText.alreadyConnected(remotename)}, by this page: share it, or use another name.`, { remotename })
      }
      // The same one again, or what takes the place of one whose disconnect was refused.
      const again: Served = { ...known, loadId, isConnected: true }
      served.set(remotename, again)
      await update(again, tools)
      return again
    }
    const remote: Served = { id: randomId(), remotename, instance, loadId, socket, isConnected: false }
    served.set(remotename, remote)
    try {
      await connect(remote, tools)
      return remote
    } catch (error) {
      if (served.get(remotename) === remote) served.delete(remotename)
      if ((error as RemoteError).code === "already_connected") takenNames.refused(remotename)
      throw error
    }
  }

  /** For a hub without `remote-update`: both messages are written at once, when no call runs that a disconnect would fail. */
  async function reconnect(remote: Served, tools: readonly ToolSpec[]): Promise<void> {
    const { socket, remotename } = remote
    await running.idle(remotename)
    byId(remote.id)
    remote.isConnected = false
    const disconnected = socket.ask("remote-disconnect", { remotename }, { timeLimitMs: REPLY_TIMEOUT_MS })
    const [outcome] = await Promise.allSettled([connect(remote, tools), disconnected])
    if (outcome.status === "fulfilled") return
    served.delete(remotename)
    // The old set is gone too: the new one is told as a registration's, where a refusal is final.
    throw new RemoteError("not_connected", `The remote "${remotename}" could not be connected again.`, { cause: outcome.reason, remotename })
  }

  async function update(remote: Served, tools: readonly ToolSpec[]): Promise<void> {
    if (knowsUpdate === false) return reconnect(remote, tools)
    const { socket, remotename } = remote
    try {
      await patiently(socket.ask("remote-update", { remotename, tools: functionsOf(tools) }, { timeLimitMs: REPLY_TIMEOUT_MS }))
      knowsUpdate = true
    } catch (error) {
      if ((error as RemoteError).code !== "failed" || knowsUpdate) throw error
      withoutUpdate.resolve()
      await reconnect(remote, tools)
      knowsUpdate = false
    }
  }

  /** Taken is what is written to the open socket that brought the call: the protocol has no reply for it. */
  function write(callId: string, answer: ToolAnswer): void {
    const call = running.take(callId)
    if (!call || call.socket !== link.socket) throw new RemoteError("settled", "The hub no longer waits for this answer: it already has one, or the call's socket is lost.")
    const { socket, requestId } = call
    try {
      socket.send({ action: "remote-call-result", requestId, ...(answer.is_error ? { error: answer.text } : { result: jsonValueOf(answer) }) })
    } catch (error) {
      running.begin(call)
      throw error
    }
  }

  return {
    async register(registration) {
      const { id, remotename } = await register(registration)
      return { id, name: remotename }
    },
    maxTools: MAX_FUNCTIONS,
    get updatesAfterCalls() {
      return knowsUpdate ? undefined : withoutUpdate.promise
    },
    update: async (id, _revision, tools) => update(byId(id), tools),
    // The socket is the sign of life.
    ping: (id) => settled(() => byId(id)),
    answer: (_id, callId, answer) => settled(() => write(callId, answer)),
    async remove(id) {
      const remote = [...served.values()].find((one) => one.id === id)
      if (!remote) return
      const { remotename, socket } = remote
      remote.isConnected = false
      running.drop(remotename)
      try {
        if (socket === link.socket) await patiently(socket.ask("remote-disconnect", { remotename }, { timeLimitMs: REPLY_TIMEOUT_MS }))
      } catch (error) {
        // With the socket goes the remote.
        if (!["not_connected", "connection_lost", "timeout"].includes((error as RemoteError).code)) throw error
      }
      if (served.get(remotename) === remote) served.delete(remotename)
    },
    failureOf: (error) => portFailureOf(error, takenNames.isWaitedFor),
    receive(socket, { remotename, requestId, function: tool, args }) {
      const remote = served.get(remotename)
      if (remote?.socket !== socket) {
        socket.send({ action: "remote-call-result", requestId, error: errorText.notConnected(remotename) })
        return undefined
      }
      const callId = `${requestId}@${socket.epoch}`
      running.begin({ callId, remotename, requestId, socket })
      return { clientId: remote.id, dispatch: { callId, tool, arguments: args, deadlineMs: REMOTE_CALL_TIMEOUT_MS } }
    },
    disconnected(remotename) {
      const remote = served.get(remotename)
      if (!remote?.isConnected || remote.socket !== link.socket) return undefined
      served.delete(remotename)
      return remote.id
    },
    abandonCalls({ client: { name }, ids }) {
      // Another client may serve under this name.
      if (ids.has(served.get(name)?.id ?? "")) running.drop(name)
    },
    lost() {
      served.clear()
      takenNames.clear()
      return running.clear()
    },
  }
}

/**
 * Registration, identity and liveness of tool clients, as pure steps over the session's state.
 *
 *     register ──► serving ◄──── register (same pair) ────┐
 *                   │  │ └── ping {suspended} ──► suspended ── ttl ──► gone (expired)
 *                   │  └──── ping {leaving} ──► leaving ── grace ──► gone (left)
 *                   ├─────── ttl ──► gone (expired)
 *                   ├─────── DELETE ──► gone (deleted)
 *                   └─────── register (same instance, new load) ──► gone (superseded), its successor serving
 */
import { MODEL_NAME_MAX_LENGTH, modelToolName } from "../wire/limits.ts"
import type { Lifetime, PingRequest, RegisterRequest, ToolSpec, UpdateRequest } from "../wire/messages.ts"
import { isOwnedBy, type PendingCall } from "./callRecord.ts"
import { type CallLimits, failCallsOf, moveCall, parkCall, sendCallAgain } from "./calls.ts"
import { quoted } from "./printable.ts"
import {
  DELETED_MEMORY_MS,
  LEAVING_GRACE_MS,
  MAX_DELETED_LOADS,
  MAX_NAME_SUFFIX,
  RETRY_WHEN_FULL_SECONDS,
  type SessionServerLimits,
} from "./serverLimits.ts"
import { SessionServerError, tooMany } from "./sessionServerError.ts"
import { checkSize, checkToolCount } from "./sessionSize.ts"
import {
  type Change,
  clientEvent,
  inOrder,
  type SessionState,
  type ToolClientRecord,
} from "./sessionState.ts"

export type ToolClientLimits = CallLimits & Pick<SessionServerLimits, "maxToolClients" | "maxTools" | "maxSessionSize">

const sizeOf = (tools: readonly ToolSpec[]): number => JSON.stringify(tools).length

const expiryOf = (lifetime: Lifetime, now: number): number | null =>
  lifetime.type === "ttl" ? now + lifetime.data.seconds * 1000 : null

const replaceClient = (session: SessionState, next: ToolClientRecord): SessionState => ({
  ...session,
  clients: session.clients.map((client) => (client.id === next.id ? next : client)),
})

export function getToolClient(session: SessionState, clientId: string): ToolClientRecord {
  const client = session.clients.find(({ id }) => id === clientId)
  if (client) return client
  throw new SessionServerError(
    404,
    "tool_client_not_found",
    `The session has no tool client ${quoted(clientId)}: it was deleted, expired, superseded, or the server has restarted. Register again.`,
  )
}

/** Any accepted request of a client is a sign of life. */
export const renewToolClient = (session: SessionState, client: ToolClientRecord, now: number): SessionState =>
  replaceClient(session, { ...client, expiresAt: expiryOf(client.lifetime, now) })

/** The first of `web`, `web_2`, `web_3`… that nobody has. */
function freeName(session: SessionState, requested: string): string {
  const taken = new Set(session.clients.map(({ name }) => name))
  if (!taken.has(requested)) return requested
  for (let suffix = 2; suffix <= MAX_NAME_SUFFIX; suffix++) {
    const name = `${requested}_${suffix}`
    if (!taken.has(name)) return name
  }
  throw new SessionServerError(422, "name_taken", `All names from "${requested}" to "${requested}_${MAX_NAME_SUFFIX}" are in use. Choose another.`)
}

/** Looked at once the name is known, since a suffix makes it longer. */
function checkNameLengths(clientName: string, tools: readonly ToolSpec[]): void {
  const tooLong = tools.filter((tool) => modelToolName(clientName, tool.name).length > MODEL_NAME_MAX_LENGTH)
  if (tooLong.length === 0) return
  const list = tooLong.map((tool) => modelToolName(clientName, tool.name)).map((name) => `"${name}" (${name.length})`).join(", ")
  throw new SessionServerError(
    422,
    "tool_name_too_long",
    `Models take at most ${MODEL_NAME_MAX_LENGTH} characters of a tool's whole name; too long: ${list}. Shorten the tool's or the client's name.`,
    { details: { tools: tooLong.map((tool) => tool.name) } },
  )
}

/** What the session would hold with these tools in the place of `instead`. */
function checkTools(session: SessionState, instead: ToolClientRecord | undefined, tools: readonly ToolSpec[], size: number, limits: ToolClientLimits): void {
  checkToolCount(session, tools.length - (instead?.tools.length ?? 0), limits)
  checkSize(session, size - (instead?.size ?? 0), limits)
}

/** Each deleted client had a load of its own, so a registration of that load can only be a copy that was held up. */
function refuseDeleted(session: SessionState, { instance_id, load_id }: RegisterRequest, now: number): void {
  const isDeleted = session.deletedLoads.some((load) => load.until > now && load.instanceId === instance_id && load.loadId === load_id)
  if (!isDeleted) return
  throw new SessionServerError(409, "tool_client_deleted", "The tool client of this load has been deleted. Register with a new `load_id`.")
}

export interface Registered extends Change {
  readonly client: ToolClientRecord
}

/** Registers a client, finds the one that an earlier try of the same page load made, or puts it in the place of the load before. */
export function registerToolClient(
  session: SessionState,
  clientId: string,
  request: RegisterRequest,
  limits: ToolClientLimits,
  now: number,
): Registered {
  const earlier = session.clients.find(({ instanceId }) => instanceId === request.instance_id)
  if (earlier?.loadId === request.load_id) return registerAgain(session, earlier, request, limits, now)
  refuseDeleted(session, request, now)
  if (!earlier && session.clients.length >= limits.maxToolClients) {
    throw tooMany("too_many_tool_clients", `The session has ${limits.maxToolClients} tool clients, the maximum.`, RETRY_WHEN_FULL_SECONDS)
  }
  const size = sizeOf(request.tools)
  checkTools(session, earlier, request.tools, size, limits)
  const keepsName = earlier?.requestedName === request.name
  const client: ToolClientRecord = {
    id: clientId,
    name: keepsName ? earlier.name : freeName(session, request.name),
    requestedName: request.name,
    instanceId: request.instance_id,
    loadId: request.load_id,
    lifetime: request.lifetime,
    tools: request.tools,
    revision: request.revision ?? 0,
    presence: { type: "serving" },
    size,
    expiresAt: expiryOf(request.lifetime, now),
  }
  checkNameLengths(client.name, client.tools)
  if (earlier) return { ...supersede(session, earlier, client, limits, now), client }
  return {
    session: { ...session, clients: [...session.clients, client] },
    events: [clientEvent("tool_client.registered", client)],
    client,
  }
}

const unackedOf = (session: SessionState, owner: ToolClientRecord): readonly PendingCall[] =>
  [...session.calls.pending()].filter((call) => !call.acked && isOwnedBy(call, owner))

/** The same page load asks again: the answer to its first try was lost, or it comes back from suspension. */
function registerAgain(session: SessionState, earlier: ToolClientRecord, request: RegisterRequest, limits: ToolClientLimits, now: number): Registered {
  // A copy that was held up on its way must not bring back tools that an update has replaced since.
  const isStale = request.revision !== undefined && request.revision < earlier.revision
  const size = isStale ? earlier.size : sizeOf(request.tools)
  if (!isStale) checkTools(session, earlier, request.tools, size, limits)
  const client: ToolClientRecord = {
    ...earlier,
    lifetime: request.lifetime,
    tools: isStale ? earlier.tools : request.tools,
    revision: isStale ? earlier.revision : (request.revision ?? 0),
    presence: { type: "serving" },
    size,
    expiresAt: expiryOf(request.lifetime, now),
  }
  checkNameLengths(client.name, client.tools)
  const wasAway = earlier.presence.type !== "serving"
  const unacked = wasAway ? unackedOf(session, client) : []
  const change = inOrder(
    replaceClient(session, client),
    (current) => ({ session: current, events: [clientEvent(wasAway ? "tool_client.registered" : "tool_client.updated", client)] }),
    ...unacked.map((call) => (current: SessionState) => sendCallAgain(current, call, now)),
  )
  return { ...change, client }
}

/** A new load takes its predecessor's place: calls that were acked are settled, the others are its own now. */
function supersede(
  session: SessionState,
  earlier: ToolClientRecord,
  client: ToolClientRecord,
  limits: CallLimits,
  now: number,
): Change {
  const unacked = unackedOf(session, earlier)
  return inOrder(
    session,
    (current) => ({
      session: { ...current, clients: current.clients.map((other) => (other.id === earlier.id ? client : other)) },
      events: [clientEvent("tool_client.deleted", earlier), clientEvent("tool_client.registered", client)],
    }),
    ...unacked.map((call) => (current: SessionState) => moveCall(current, call, client, now)),
    (current) => failCallsOf(current, earlier, "client_superseded", limits),
  )
}

/** Replaces the tools, unless a newer set is known already. */
export function updateTools(session: SessionState, client: ToolClientRecord, { revision, tools }: UpdateRequest, limits: ToolClientLimits): Change {
  if (revision < client.revision) return { session, events: [] }
  const size = sizeOf(tools)
  checkTools(session, client, tools, size, limits)
  checkNameLengths(client.name, tools)
  const next: ToolClientRecord = { ...client, tools, size, revision }
  return { session: replaceClient(session, next), events: [clientEvent("tool_client.updated", next)] }
}

/** A sign of life, or the word that the page goes. A plain ping brings no tools back: it may have been overtaken by the farewell. */
export function pingToolClient(session: SessionState, client: ToolClientRecord, ping: PingRequest, now: number): Change {
  // A farewell that was held up on its way: the page has come back and registered since.
  if (ping.revision !== undefined && ping.revision < client.revision) return { session, events: [] }
  if (ping.leaving && client.presence.type !== "leaving") {
    return depart(session, { ...client, presence: { type: "leaving", until: now + LEAVING_GRACE_MS } })
  }
  if (ping.suspended && client.presence.type === "serving") {
    return depart(session, { ...client, presence: { type: "suspended" } })
  }
  return { session, events: [] }
}

/** Its tools are not offered any more, which is an update to whoever shows them, and its calls wait until it is back. */
const depart = (session: SessionState, client: ToolClientRecord): Change => ({
  session: unackedOf(session, client).reduce(parkCall, replaceClient(session, client)),
  events: [clientEvent("tool_client.updated", client)],
})

const GONE = {
  client_deleted: "tool_client.deleted",
  client_left: "tool_client.deleted",
  client_expired: "tool_client.expired",
} as const

/** Takes a client off and settles its pending calls with an error. */
export const removeToolClient = (
  session: SessionState,
  client: ToolClientRecord,
  reason: keyof typeof GONE,
  limits: CallLimits,
): Change =>
  inOrder(
    { ...session, clients: session.clients.filter(({ id }) => id !== client.id) },
    (current) => ({ session: current, events: [clientEvent(GONE[reason], client)] }),
    (current) => failCallsOf(current, client, reason, limits),
  )

/** Takes a client off at its own page's word, and remembers its load, so that no copy of its registration brings it back. */
export function deleteToolClient(session: SessionState, client: ToolClientRecord, limits: CallLimits, now: number): Change {
  const { instanceId, loadId } = client
  const remembered = session.deletedLoads.filter(({ until }) => until > now).slice(1 - MAX_DELETED_LOADS)
  const deletedLoads = [...remembered, { instanceId, loadId, until: now + DELETED_MEMORY_MS }]
  return removeToolClient({ ...session, deletedLoads }, client, "client_deleted", limits)
}

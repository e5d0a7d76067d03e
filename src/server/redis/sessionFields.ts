/**
 * A session as fields of a hash: `m` for itself, `c:<id>` for each client, `t:<id>` for its tools, `k:<id>` for each call. A step changes
 * few of them, and a ping, the most frequent one, only some hundred bytes of its client's. Steps keep what they do not change, so what is
 * the same object need not be compared.
 */
import type { CallRecord } from "../callRecord.ts"
import { CallTable } from "../callTable.ts"
import type { SessionState, ToolClientRecord } from "../sessionState.ts"

/** What a session was at one version. */
export interface SessionCopy {
  /** The version at which this life of the session began. */
  readonly life: string
  readonly version: string
  readonly session: SessionState
  /** The last event's id in the log. */
  readonly last: string
  readonly ranks: Ranks
}

/** Where each client stands among the others, by field: hashes have no order. Calls know their places. */
export type Ranks = ReadonlyMap<string, number>

export interface FieldChanges {
  readonly set: readonly (readonly [field: string, value: string])[]
  readonly removed: readonly string[]
  readonly ranks: Ranks
}

const clientField = (id: string): string => `c:${id}`
const toolsField = (id: string): string => `t:${id}`
const callField = (id: string): string => `k:${id}`

interface Listed {
  readonly id: string
}

/** Gives each a rank between its neighbours', and keeps those that are in order. */
function rank(items: readonly Listed[], fieldOf: (id: string) => string, before: Ranks, ranks: Map<string, number>): void {
  let last = 0
  items.forEach(({ id }, index) => {
    const known = before.get(fieldOf(id))
    if (known !== undefined && known > last) last = known
    else {
      const next = items.slice(index + 1).map((item) => before.get(fieldOf(item.id))).find((other) => other !== undefined && other > last)
      last = next === undefined ? last + 1 : (last + next) / 2
    }
    ranks.set(fieldOf(id), last)
  })
}

const metaOf = ({ clients: _clients, calls: _calls, ...meta }: SessionState): string => JSON.stringify(meta)

/** The fields of clients that have gone, and of their tools. */
const removedClients = (before: Ranks, ranks: Ranks): string[] =>
  [...before.keys()].filter((field) => !ranks.has(field)).flatMap((field) => [field, toolsField(field.slice(2))])

/** What must be written to make one session of another. */
export function changesBetween(before: SessionCopy | undefined, next: SessionState): FieldChanges {
  const ranks = new Map<string, number>()
  const knownRanks: Ranks = before?.ranks ?? new Map<string, number>()
  rank(next.clients, clientField, knownRanks, ranks)
  const set: [string, string][] = []
  const meta = metaOf(next)
  if (!before || metaOf(before.session) !== meta) set.push(["m", meta])
  const isMoved = (field: string): boolean => ranks.get(field) !== knownRanks.get(field)
  const clientsBefore = new Map(before?.session.clients.map((client) => [client.id, client]))
  for (const client of next.clients) {
    const earlier = clientsBefore.get(client.id)
    const field = clientField(client.id)
    const { tools, ...rest } = client
    if (earlier !== client || isMoved(field)) set.push([field, `${ranks.get(field)} ${JSON.stringify(rest)}`])
    if (earlier?.tools !== tools) set.push([toolsField(client.id), JSON.stringify(tools)])
  }
  const callsBefore = before?.session.calls ?? CallTable.of([])
  if (callsBefore === next.calls) return { set, removed: removedClients(knownRanks, ranks), ranks }
  for (const [place, call] of next.calls.changesFrom(callsBefore)) set.push([callField(call.id), `${place} ${JSON.stringify(call)}`])
  const gone = Array.from(callsBefore.changesFrom(next.calls), ([, { id }]) => id).filter((id) => !next.calls.get(id)).map(callField)
  return { set, removed: [...gone, ...removedClients(knownRanks, ranks)], ranks }
}

type ClientRest = Omit<ToolClientRecord, "tools">

/** Makes a session of fields that were written since `before`, or of all of them; `""` for one that was removed. Others are passed over. */
export function withFields(before: SessionCopy | undefined, fields: Iterable<readonly [string, string]>): Pick<SessionCopy, "session" | "ranks"> {
  const ranks = new Map(before?.ranks)
  let meta: Omit<SessionState, "clients" | "calls"> | undefined = before?.session
  const clients = new Map<string, ToolClientRecord>(before?.session.clients.map((client) => [client.id, client]))
  let calls = before?.session.calls ?? CallTable.of([])
  const placed: [place: number, call: CallRecord][] = []
  const rests = new Map<string, ClientRest>()
  const tools = new Map<string, ToolClientRecord["tools"]>()
  for (const [field, value] of fields) {
    const id = field.slice(2)
    const kind = field.slice(0, 2)
    if (value === "") {
      ranks.delete(field)
      if (kind === "c:") clients.delete(id)
      else if (kind === "k:") calls = calls.without(id)
    } else if (field === "m") meta = JSON.parse(value) as SessionState
    else if (kind === "t:") tools.set(id, JSON.parse(value) as ToolClientRecord["tools"])
    else if (kind === "c:" || kind === "k:") {
      const space = value.indexOf(" ")
      const record: unknown = JSON.parse(value.slice(space + 1))
      const place = Number(value.slice(0, space))
      if (kind === "k:") placed.push([place, record as CallRecord])
      else {
        ranks.set(field, place)
        rests.set(id, record as ClientRest)
      }
    }
  }
  for (const [id, rest] of rests) clients.set(id, { ...rest, tools: tools.get(id) ?? clients.get(id)?.tools ?? [] })
  if (!meta) throw new Error("A session's record in Redis is incomplete: its field `m` is missing. Does Redis evict keys (maxmemory-policy)?")
  const inOrder = [...clients.values()].sort((a, b) => (ranks.get(clientField(a.id)) ?? 0) - (ranks.get(clientField(b.id)) ?? 0))
  // All leave their places before any takes one that another had.
  for (const [, { id }] of placed) calls = calls.without(id)
  for (const [place, call] of placed) calls = calls.withAt(call, place)
  return { session: { ...meta, clients: inOrder, calls }, ranks }
}

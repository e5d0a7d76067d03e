import fc from "fast-check"
import { expect, test } from "vitest"
import type { CallRecord } from "../callRecord.ts"
import { CallTable } from "../callTable.ts"
import { newSession, type SessionState, type ToolClientRecord } from "../sessionState.ts"
import { changesBetween, type SessionCopy, withFields } from "./sessionFields.ts"

const aClient = (id: number, revision: number, tools: readonly string[]): ToolClientRecord => ({
  id: `c${id}`,
  name: `c${id}`,
  requestedName: "web",
  instanceId: "i",
  loadId: "l",
  lifetime: { type: "never" },
  tools: tools.map((name) => ({ name, description: "", parameters: {} })),
  revision,
  presence: { type: "serving" },
  size: 0,
  expiresAt: null,
})
const aCall = (id: number, text: string): CallRecord => ({
  status: "settled",
  id: `k${id}`,
  clientId: "c",
  instanceId: "i",
  loadId: "l",
  tool: "t",
  idempotency: null,
  answer: { text, is_error: false },
  reason: "answered",
})

const some = fc.uniqueArray(fc.nat(6))
const states = fc.array(fc.record({ running: fc.boolean(), clients: some, calls: some, text: fc.constantFrom("", "a", "\u2028 ü") }), { minLength: 1, maxLength: 12 })

/** Keeps what stays as the same object, as steps do. */
function stateOf(before: SessionState, { running, clients, calls, text }: { running: boolean; clients: number[]; calls: number[]; text: string }): SessionState {
  const client = (id: number): ToolClientRecord => {
    const known = before.clients.find((each) => each.id === `c${id}`)
    if (!known) return aClient(id, 0, [text])
    return text === "a" ? { ...known, revision: known.revision + 1 } : known
  }
  const call = (id: number): CallRecord => before.calls.get(`k${id}`) ?? aCall(id, text)
  return { ...before, running, clients: clients.map(client), calls: CallTable.of(calls.map(call)) }
}

/** How a table is built below is chance. */
const plain = ({ calls, ...session }: SessionState) => ({ ...session, calls: [...calls.entries()] })

const copyOf = (session: SessionState, ranks: SessionCopy["ranks"]): SessionCopy => ({ life: "1", version: "1", last: "0-0", session, ranks })

test("a session is the same after any steps: from what each has changed, and from all fields at once", () => {
  fc.assert(
    fc.property(states, (steps) => {
      let written: SessionCopy | undefined
      let followed: SessionCopy | undefined
      const hash = new Map<string, string>()
      for (const step of steps) {
        const session = stateOf(written?.session ?? newSession("s", 1), step)
        const { set, removed, ranks } = changesBetween(written, session)
        for (const [field, value] of set) hash.set(field, value)
        for (const field of removed) hash.delete(field)
        written = copyOf(session, ranks)
        const told = withFields(followed, [...set, ...removed.map((field) => [field, ""] as const)])
        followed = copyOf(told.session, told.ranks)
        expect(plain(told.session)).toEqual(plain(session))
        expect(told.ranks).toEqual(ranks)
        expect(plain(withFields(undefined, hash).session)).toEqual(plain(session))
        expect(hash.size).toBe(1 + session.clients.length * 2 + session.calls.length)
      }
    }),
    { numRuns: 300 },
  )
})

test("a sign of life writes the client without its tools, and nothing else", () => {
  const session: SessionState = { ...newSession("s", 1), clients: [aClient(1, 0, ["a"]), aClient(2, 0, ["b"])], calls: CallTable.of([aCall(1, "x")]) }
  const before = copyOf(session, changesBetween(undefined, session).ranks)
  const [first, ...others] = session.clients
  const { set, removed } = changesBetween(before, { ...session, clients: [{ ...first!, expiresAt: 7 }, ...others] })
  expect(set.map(([field]) => field)).toEqual(["c:c1"])
  expect(set[0]![1]).not.toContain("tools")
  expect(removed).toEqual([])
})

test("fields without the session's own are refused with the likely reason", () => {
  expect(() => withFields(undefined, [["life", "1"]])).toThrow("maxmemory-policy")
})

import fc from "fast-check"
import { expect, test } from "vitest"
import { callDueAt, type CallRecord, isPending } from "./callRecord.ts"
import { CallTable } from "./callTable.ts"

const aCall = (id: string, more: { isSettled: boolean; size: number; dueAt: number; key: boolean }): CallRecord => {
  const base = { id, clientId: "c", instanceId: "i", loadId: "l", tool: "t", idempotency: more.key ? { key: `key of ${id}`, fingerprint: "" } : null }
  if (more.isSettled) return { ...base, status: "settled", answer: { text: "x".repeat(more.size), is_error: false }, reason: "answered" }
  return { ...base, status: "pending", arguments: {}, size: more.size, acked: false, deadlineAt: 1_000, sendAgainAt: more.dueAt }
}

const steps = fc.array(
  fc.record({
    type: fc.constantFrom("with", "withLast", "without"),
    id: fc.nat(20).map(String),
    isSettled: fc.boolean(),
    size: fc.nat(5),
    dueAt: fc.nat(2_000),
    key: fc.boolean(),
  }),
  { maxLength: 60 },
)

test("A table of calls is what a list of them would be after any steps: its order, its look-ups, its sums; and what it was before stays.", () => {
  fc.assert(
    fc.property(steps, (all) => {
      let table = CallTable.of([])
      let list: CallRecord[] = []
      const before: { table: CallTable; list: readonly CallRecord[] }[] = []
      for (const { type, id, ...more } of all) {
        before.push({ table, list })
        const call = aCall(id, more)
        const others = list.filter((other) => other.id !== id)
        if (type === "without") {
          table = table.without(id)
          list = others
        } else if (type === "with" && others.length < list.length) {
          // A call keeps its key.
          const next = { ...call, idempotency: table.get(id)!.idempotency }
          table = table.with(next)
          list = list.map((other) => (other.id === id ? next : other))
        } else {
          table = table[type](call)
          list = [...others, call]
        }
        const pending = list.filter(isPending)
        const settled = list.filter((each) => !isPending(each))
        expect([...table]).toEqual(list)
        expect([...table.pending()]).toEqual(pending)
        expect(table.oldestSettled()).toBe(settled[0])
        expect([table.length, table.sums.pending, table.sums.settled]).toEqual([list.length, pending.length, settled.length])
        expect(table.sums.size).toBe(pending.reduce((sum, { size }) => sum + size, 0))
        expect(table.sums.text).toBe(settled.reduce((sum, each) => sum + (isPending(each) ? 0 : each.answer.text.length), 0))
        expect(table.sums.dueAt).toBe(Math.min(Infinity, ...pending.map(callDueAt)))
        for (let index = 0; index <= 20; index++) {
          const found = list.find((each) => each.id === String(index))
          expect(table.get(String(index))).toBe(found)
          expect(table.ofKey(`key of ${index}`)).toBe(found?.idempotency ? found : undefined)
        }
      }
      for (const earlier of before) {
        expect([...earlier.table]).toEqual(earlier.list)
        const [places, placesBefore] = [new Map(table.entries()), new Map(earlier.table.entries())]
        expect([...table.changesFrom(earlier.table)]).toEqual([...places].filter(([place, call]) => placesBefore.get(place) !== call))
        expect([...earlier.table.changesFrom(table)]).toEqual([...placesBefore].filter(([place, call]) => places.get(place) !== call))
      }
    }),
  )
})

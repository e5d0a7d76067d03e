import { expect, test } from "vitest"
import type { Clock } from "../../../src/lib/clock.ts"
import type { LogEvent, SessionState } from "../../../src/server/sessionState.ts"
import { newSession } from "../../../src/server/sessionState.ts"
import type { Outcome, SessionStore } from "../../../src/server/sessionStore.ts"
import { createFakeClock } from "../../../src/testing/fakeClock.ts"

const running = (isRunning: boolean): LogEvent => ({ type: "session.running", data: { running: isRunning } })
const FAR = Number.MAX_SAFE_INTEGER

/** A step that replaces the session and says that it did. */
const put =
  (change: Partial<SessionState> = {}, events: readonly LogEvent[] = [running(true)]) =>
  (session: SessionState | undefined): Outcome<undefined> => ({
    session: { ...(session ?? newSession("s", FAR)), ...change },
    events,
    result: undefined,
  })

/** What every {@link SessionStore} must do, whatever it keeps its sessions in. */
export function testStore(name: string, createStore: (clock: Clock, maxLoggedEvents: number) => SessionStore): void {
  const create = () => {
    const clock = createFakeClock()
    return { clock, store: createStore(clock, 3) }
  }

  test(`${name} gives a step what the one before has written, and the caller its result.`, async () => {
    const { store, clock } = create()
    expect(await store.read("s")).toBeUndefined()
    const seen = await store.update("s", (session, now) => ({ ...put({ running: true })(session), result: [session, now] }))
    expect(seen).toEqual([undefined, clock.now()])
    expect(await store.update("s", (session) => ({ session, events: [], result: session?.running }))).toBe(true)
    expect(await store.read("s")).toEqual({ ...newSession("s", FAR), running: true })
    expect(await store.read("another")).toBeUndefined()
  })

  test(`${name} loses no step of many at once.`, async () => {
    const { store } = create()
    const add = (session: SessionState | undefined) => put({ expiresAt: (session?.expiresAt ?? 0) + 1 })(session)
    await Promise.all(Array.from({ length: 100 }, () => store.update("s", add)))
    expect((await store.read("s"))?.expiresAt).toBe(100)
  })

  test(`${name} writes nothing of a step that throws, and passes its error on.`, async () => {
    const { store } = create()
    await store.update("s", put())
    const error = new Error("refused")
    const failing = store.update("s", () => {
      throw error
    })
    await expect(failing).rejects.toBe(error)
    expect((await store.view("s", undefined))?.session.running).toBe(false)
  })

  test(`${name} tells the events after an id, in order, as far back as its log reaches.`, async () => {
    const { store } = create()
    await store.update("s", put({}, []))
    const start = (await store.view("s", undefined))!.lastEventId
    await store.update("s", put({}, [running(true), running(false)]))
    const view = (await store.view("s", start))!
    expect(view.events?.map(({ event }) => event)).toEqual([running(true), running(false)])
    expect(view.events?.at(-1)?.id).toBe(view.lastEventId)
    expect((await store.view("s", view.lastEventId))?.events).toEqual([])
    expect((await store.view("s", undefined))?.events).toEqual([])
    expect((await store.view("s", view.events?.[0]?.id))?.events).toHaveLength(1)
    await store.update("s", put({}, [running(true), running(false)]))
    expect((await store.view("s", start))?.events).toBeNull()
    expect((await store.view("s", view.events?.[0]?.id))?.events).toHaveLength(3)
    for (const unknown of ["", "nonsense", `${start}x`]) expect((await store.view("s", unknown))?.events).toBeNull()
    expect(await store.view("another", undefined)).toBeUndefined()
  })

  test(`${name} does not take an id of an earlier life of the session for one of this.`, async () => {
    const { store } = create()
    await store.update("s", put())
    const before = (await store.view("s", undefined))!.lastEventId
    await store.update("s", () => ({ session: undefined, events: [], result: undefined }))
    expect(await store.read("s")).toBeUndefined()
    await store.update("s", put())
    expect((await store.view("s", before))?.events).toBeNull()
  })

  test(`${name} wakes those who watch a session, and nobody else, until they stop.`, async () => {
    const { store } = create()
    const woken: string[] = []
    const stop = store.subscribe("s", () => woken.push("s"))
    store.subscribe("s", () => woken.push("s too"))
    store.subscribe("another", () => woken.push("another"))
    await store.update("s", put())
    expect(woken).toEqual(["s", "s too"])
    stop()
    stop()
    await store.update("s", () => ({ session: undefined, events: [], result: undefined }))
    expect(woken).toEqual(["s", "s too", "s too"])
  })

  test(`${name} tells when a session is due, also when that was put off or brought forward.`, async () => {
    const { store, clock } = create()
    const due: string[] = []
    store.onDue((id) => due.push(id))
    const at = (ms: number) => put({ expiresAt: clock.now() + ms }, [])
    await store.update("late", at(1_000))
    await store.update("late", at(2_000))
    await store.update("early", at(5_000))
    await store.update("early", at(500))
    await clock.advance(500)
    expect(due).toEqual(["early"])
    await clock.advance(1_499)
    expect(due).toEqual(["early"])
    await clock.advance(1)
    expect(due).toEqual(["early", "late"])
  })

  test(`${name} sets no timer after it was closed, and keeps its sessions.`, async () => {
    const { store, clock } = create()
    await store.update("s", put({ expiresAt: clock.now() + 1_000 }))
    store.close()
    await store.update("s", put())
    expect(clock.pending).toBe(0)
    expect(await store.read("s")).toBeDefined()
  })
}

import { afterEach, expect, test } from "vitest"
import { type LogEvent, newSession, type SessionState } from "../../src/server/sessionState.ts"
import type { Outcome, SessionStore } from "../../src/server/sessionStore.ts"

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

const end = (): Outcome<undefined> => ({ session: undefined, events: [], result: undefined })

export interface StoreUnderTest {
  /** Keeps the last three events of a session. */
  readonly store: SessionStore
  /** The same sessions as another process has them. */
  readonly elsewhere: SessionStore
  /** Lets time pass until something has happened. */
  until(condition: () => boolean): Promise<void>
  /** How many timers `store` has set. */
  timers(): number
}

/** What every {@link SessionStore} must do, whatever it keeps its sessions in, and whichever process asks. */
export function testStore(name: string, create: () => StoreUnderTest): void {
  const open: SessionStore[] = []
  afterEach(() => {
    for (const store of open.splice(0)) store.close()
  })
  const setUp = (): StoreUnderTest => {
    const made = create()
    open.push(made.store, made.elsewhere)
    return made
  }

  test(`${name} gives a step what the one before has written, and the caller its result.`, async () => {
    const { store, elsewhere } = setUp()
    expect(await store.read("s")).toBeUndefined()
    const seen = await store.update("s", (session, now) => ({ ...put({ running: true })(session), result: [session, now <= store.now()] }))
    expect(seen).toEqual([undefined, true])
    for (const each of [store, elsewhere]) {
      expect(await each.update("s", (session) => ({ session, events: [], result: session?.running }))).toBe(true)
      expect(await each.read("s")).toEqual({ ...newSession("s", FAR), running: true })
      expect(await each.read("another")).toBeUndefined()
    }
  })

  test(`${name} keeps clients and calls in their order, and each as it was last written.`, async () => {
    const { store, elsewhere } = setUp()
    const client = (id: string, more: object = {}): SessionState["clients"][number] => ({
      id,
      name: id,
      requestedName: id,
      instanceId: id,
      loadId: id,
      lifetime: { type: "never" },
      tools: [{ name: "add", description: "Ädds \ud800 \u0000 it.", parameters: JSON.parse('{"type":"object","__proto__":{"a":1}}') as Record<string, unknown> }],
      revision: 0,
      presence: { type: "serving" },
      size: 1,
      expiresAt: null,
      ...more,
    })
    const states: SessionState["clients"][] = [
      [client("a"), client("b"), client("c")],
      [client("a"), client("x"), client("c")],
      [client("a"), client("x", { revision: 1, tools: [] }), client("c")],
      [client("c"), client("a"), client("d")],
      [client("d")],
      [],
      [client("e"), client("d")],
    ]
    for (const [index, clients] of states.entries()) {
      const [writer, reader] = index % 2 === 0 ? [store, elsewhere] : [elsewhere, store]
      await writer.update("s", put({ clients }))
      for (const each of [reader, writer]) expect((await each.read("s"))?.clients).toEqual(clients)
    }
  })

  test(`${name} loses no step of many at once.`, async () => {
    const { store, elsewhere } = setUp()
    const add = (session: SessionState | undefined) => put({ expiresAt: (session?.expiresAt ?? 0) + 1 })(session)
    await Promise.all(Array.from({ length: 200 }, (_, index) => (index % 2 ? store : elsewhere).update("s", add)))
    expect((await store.read("s"))?.expiresAt).toBe(200)
    expect((await elsewhere.read("s"))?.expiresAt).toBe(200)
  })

  test(`${name} writes nothing of a step that throws, passes its error on, and goes on with the others.`, async () => {
    const { store } = setUp()
    await store.update("s", put())
    const error = new Error("refused")
    const failing = store.update("s", () => {
      throw error
    })
    const next = store.update("s", put({ expiresAt: 5 }))
    await expect(failing).rejects.toBe(error)
    await next
    expect((await store.view("s", undefined))?.session).toMatchObject({ running: false, expiresAt: 5 })
  })

  test(`${name} runs a step on what is, not on what this process knew.`, async () => {
    const { store, elsewhere } = setUp()
    const name1 = (session: SessionState | undefined): string => (session ? `expires ${session.expiresAt}` : "none")
    const look = (where: SessionStore) => where.update("s", (session) => ({ session, events: [], result: name1(session) }))
    const refuse = (where: SessionStore) =>
      where
        .update("s", (session) => {
          throw new Error(name1(session))
        })
        .catch((error: Error) => error.message)
    await store.update("s", put({ expiresAt: 1 }))
    await elsewhere.update("s", put({ expiresAt: 2 }))
    expect([await look(store), await look(elsewhere)]).toEqual(["expires 2", "expires 2"])
    await elsewhere.update("s", put({ expiresAt: 3 }))
    expect([await refuse(store), await refuse(elsewhere)]).toEqual(["expires 3", "expires 3"])
    await elsewhere.update("s", end)
    expect([await refuse(store), await look(store), await look(elsewhere)]).toEqual(["none", "none", "none"])
  })

  test(`${name} tells the events after an id, in order, as far back as its log reaches.`, async () => {
    const { store, elsewhere } = setUp()
    await store.update("s", put({}, []))
    const start = (await store.view("s", undefined))!.lastEventId
    await store.update("s", put({}, [running(true), running(false)]))
    const view = (await store.view("s", start))!
    for (const each of [store, elsewhere]) {
      expect((await each.view("s", start))!).toEqual(view)
      expect(view.events?.map(({ event }) => event)).toEqual([running(true), running(false)])
      expect(view.events?.at(-1)?.id).toBe(view.lastEventId)
      expect((await each.view("s", view.lastEventId))?.events).toEqual([])
      expect((await each.view("s", undefined))?.events).toEqual([])
      expect((await each.view("s", view.events?.[0]?.id))?.events).toHaveLength(1)
    }
    await store.update("s", put({}, [running(true), running(false)]))
    for (const each of [elsewhere, store]) {
      expect((await each.view("s", start))?.events).toBeNull()
      expect((await each.view("s", view.events?.[0]?.id))?.events).toHaveLength(3)
      for (const unknown of ["", "nonsense", `${start}x`]) expect((await each.view("s", unknown))?.events).toBeNull()
      expect(await each.view("another", undefined)).toBeUndefined()
    }
  })

  test(`${name} does not take an id of an earlier life of the session for one of this.`, async () => {
    const { store, elsewhere } = setUp()
    await store.update("s", put())
    const before = (await store.view("s", undefined))!.lastEventId
    expect((await elsewhere.view("s", before))?.events).toEqual([])
    await store.update("s", end)
    expect(await store.read("s")).toBeUndefined()
    expect(await elsewhere.view("s", before)).toBeUndefined()
    await store.update("s", put())
    expect((await store.view("s", before))?.events).toBeNull()
    expect((await elsewhere.view("s", before))?.events).toBeNull()
  })

  test(`${name} wakes those who watch a session, on every process, and nobody else, until they stop.`, async () => {
    const { store, elsewhere, until } = setUp()
    const woken = { here: 0, too: 0, there: 0, another: 0 }
    const stop = store.subscribe("s", () => woken.here++)
    store.subscribe("s", () => woken.too++)
    elsewhere.subscribe("s", () => woken.there++)
    const other = elsewhere === store ? undefined : elsewhere.subscribe("another", () => woken.another++)
    await store.update("s", put())
    await until(() => woken.here > 0 && woken.too > 0 && woken.there > 0)
    stop()
    stop()
    const before = { ...woken }
    await elsewhere.update("s", end)
    await until(() => woken.too > before.too && woken.there > before.there)
    expect(woken.here).toBe(before.here)
    other?.()
  })

  test(`${name} shows whoever it has woken what it was woken for.`, async () => {
    const { store, elsewhere, until } = setUp()
    await store.update("s", put({}, []))
    for (const reader of [store, elsewhere]) {
      const seen: (LogEvent | null | undefined)[] = []
      let place = (await reader.view("s", undefined))!.lastEventId
      let isReading = false
      let isWoken = false
      async function read(): Promise<void> {
        isWoken = true
        if (isReading) return
        isReading = true
        while (isWoken) {
          isWoken = false
          const view = await reader.view("s", place)
          seen.push(...(view?.events?.map(({ event }) => event) ?? [null]))
          place = view?.lastEventId ?? place
        }
        isReading = false
      }
      reader.subscribe("s", () => void read())
      const said: LogEvent[] = []
      for (let index = 0; index < 30; index++) {
        said.push(running(index % 3 === 0))
        await (index % 2 ? store : elsewhere).update("s", put({}, said.slice(-1)))
        // What is not watched closely enough may fall behind a log of three.
        await until(() => seen.length === said.length)
      }
      expect(seen).toEqual(said)
    }
  })

  test(`${name} tells when a session is due, never early, also when that was put off or brought forward.`, async () => {
    const { store, elsewhere, until } = setUp()
    const due: { id: string; isEarly: boolean }[] = []
    const expiries = new Map<string, number>()
    const sweep = (id: string): void => {
      // As a server does: whatever is due is done, and is not due any more.
      void store.update(id, (_session, now) => {
        due.push({ id, isEarly: now < expiries.get(id)! })
        return { session: undefined, events: [], result: undefined }
      })
    }
    store.onDue(sweep)
    if (elsewhere !== store) elsewhere.onDue(sweep)
    const at = (id: string, where: SessionStore, ms: number) => {
      expiries.set(id, store.now() + ms)
      return where.update(id, put({ ...newSession(id, 0), expiresAt: expiries.get(id)! }, []))
    }
    await at("late", store, 200)
    await at("late", elsewhere, 400)
    await at("early", store, 60_000)
    await at("early", store, 100)
    await at("never", store, 60_000)
    await until(() => ["early", "late"].every((id) => due.some((each) => each.id === id)))
    expect(due.filter(({ isEarly }) => isEarly)).toEqual([])
    expect(due.some(({ id }) => id === "never")).toBe(false)
  })

  test(`${name} sets no timer after it was closed, and keeps its sessions.`, async () => {
    const { store, elsewhere, until, timers } = setUp()
    await store.update("s", put({ expiresAt: store.now() + 60_000 }))
    store.close()
    await until(() => timers() === 0)
    await store.update("s", put()).catch(() => {})
    expect(timers()).toBe(0)
    expect(await elsewhere.read("s")).toBeDefined()
  })
}

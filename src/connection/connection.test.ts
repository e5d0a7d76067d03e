import { describe, expect, it } from "vitest"
import { createFakeClock } from "../testing/fakeClock.ts"
import { KEEP_ALIVE_MS, STREAM_SILENCE_MS } from "../wire/limits.ts"
import type { SessionEvent } from "../wire/messages.ts"
import { SessionError } from "../wire/sessionError.ts"
import { type ConnectionOptions, createConnection, FRESH_ATTEMPT_MS, OPEN_TIMEOUT_MS, PROVEN_AFTER_MS } from "./connection.ts"

type StreamRequest = Parameters<ConnectionOptions["openStream"]>[0]

/** One attempt to open a stream, its far end in the test's hands. */
interface Attempt {
  readonly request: StreamRequest
  /** The server ends the stream. */
  end(): void
  fail(error: unknown): void
}

const network = (): SessionError => new SessionError("network", "cut")

/** `random`: how much of a back-off chance makes of it. */
function setUp({ random = 1, clockOffset = () => 0 }: { random?: number; clockOffset?: () => number } = {}) {
  const clock = createFakeClock({ random: () => random })
  const attempts: Attempt[] = []
  const events: (SessionEvent | undefined)[] = []
  const errors: unknown[] = []
  const connection = createConnection({
    clock: { ...clock, now: () => clock.now() + clockOffset() },
    openStream: (request) =>
      new Promise<void>((resolve, reject) => {
        attempts.push({ request, end: resolve, fail: reject })
        // As every transport does.
        request.signal.addEventListener("abort", () => reject(new SessionError("network", "aborted")))
      }),
    onEvent: (event) => events.push(event),
    onError: (error) => errors.push(error),
  })
  const states: string[] = []
  connection.subscribe((state) => states.push(state.status))
  const last = (): Attempt => attempts.at(-1)!
  const isLive = (attempt: Attempt): boolean => !attempt.request.signal.aborted
  const settle = () => clock.advance(0)
  return {
    clock,
    connection,
    attempts,
    events,
    errors,
    states,
    last,
    settle,
    /** Streams that are not aborted: one at most, whatever happens. */
    live: () => attempts.filter(isLive).length,
    async opened() {
      connection.connect()
      last().request.onOpen()
      await settle()
    },
    async fail(error: unknown = network()) {
      last().fail(error)
      await settle()
    },
    /** How many milliseconds it is until the next attempt, in steps of 100. */
    async untilNextAttempt() {
      const before = attempts.length
      let waited = 0
      while (attempts.length === before && waited < 120_000) {
        await clock.advance(100)
        waited += 100
      }
      return waited
    },
  }
}

describe("a connection", () => {
  it("starts nothing before it is asked to", () => {
    const { attempts, clock, connection } = setUp()
    expect(connection.state).toEqual({ status: "connecting", error: undefined })
    expect(attempts).toEqual([])
    expect(clock.pending).toBe(0)
  })

  it("is open once the stream is, and replaces its snapshot at each transition", async () => {
    const { connection, opened, states, fail } = setUp()
    await opened()
    const open = connection.state
    expect(open).toEqual({ status: "open", error: undefined })
    const error = network()
    await fail(error)
    expect(connection.state).toEqual({ status: "reconnecting", error })
    expect(open).toEqual({ status: "open", error: undefined })
    expect(states).toEqual(["open", "reconnecting"])
  })

  it("hands on the events it can read, reports and skips those it cannot, and goes on", async () => {
    const { opened, last, events, errors, connection } = setUp()
    await opened()
    const { onEvent } = last().request
    onEvent({ type: "session.running", data: '{"running":true}' })
    onEvent({ type: "session.running", data: "{" })
    onEvent({ type: "tool_call.dispatched", data: "{}" })
    onEvent({ type: "session.running", data: '{"running":false}' })
    expect(events.map((event) => event?.data)).toEqual([{ running: true }, { running: false }])
    expect(errors).toMatchObject([{ code: "bad_event" }, { code: "bad_event" }])
    expect(connection.state.status).toBe("open")
  })

  it("hands on an event that only shows life as none", async () => {
    const { opened, last, events } = setUp()
    await opened()
    last().request.onEvent({ type: "keep_alive", data: "{}" })
    expect(events).toEqual([undefined])
  })
})

describe("a stream that is lost", () => {
  it.each<[string, (attempt: Attempt) => void, string]>([
    ["is ended by the server", (attempt) => attempt.end(), "network"],
    ["is cut", (attempt) => attempt.fail(network()), "network"],
    ["is answered 503", (attempt) => attempt.fail(new SessionError("unavailable", "later", { status: 503 })), "unavailable"],
    ["is answered with HTML", (attempt) => attempt.fail(new SessionError("bad_stream", "HTML")), "bad_stream"],
    ["gets no token", (attempt) => attempt.fail(new SessionError("token", "no token")), "token"],
  ])("is opened again when it %s, and reported once", async (_how, lose, code) => {
    const { connection, attempts, last, settle, errors, untilNextAttempt } = setUp()
    connection.connect()
    lose(last())
    await settle()
    expect(connection.state).toMatchObject({ status: "reconnecting", error: { code } })
    expect(errors).toMatchObject([{ code }])
    await untilNextAttempt()
    expect(attempts.length).toBe(2)
  })

  it("is opened again from the last id it gave, also one of an earlier stream", async () => {
    const { opened, last, fail, clock, attempts } = setUp({ random: 0 })
    await opened()
    expect(last().request.lastEventId).toBeUndefined()
    last().request.onId("6")
    last().request.onId("7")
    await fail()
    await clock.advance(0)
    expect(last().request.lastEventId).toBe("7")
    await fail()
    await clock.advance(0)
    expect(attempts.length).toBe(3)
    expect(last().request.lastEventId).toBe("7")
  })

  it("waits longer each time: 0.5 s, doubled up to 30 s", async () => {
    const { connection, fail, untilNextAttempt } = setUp()
    connection.connect()
    const waits: number[] = []
    for (let count = 0; count < 8; count++) {
      await fail()
      waits.push(await untilNextAttempt())
    }
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  })

  it("waits longer each time also when the server opens and ends it at once", async () => {
    const { connection, last, settle, untilNextAttempt } = setUp()
    connection.connect()
    const waits: number[] = []
    for (let count = 0; count < 5; count++) {
      last().request.onOpen()
      last().end()
      await settle()
      waits.push(await untilNextAttempt())
    }
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000])
  })

  it("waits as at first once one was up for 5 s, and not before", async () => {
    const { connection, clock, last, fail, untilNextAttempt } = setUp()
    connection.connect()
    for (let count = 0; count < 4; count++) {
      await fail()
      await untilNextAttempt()
    }
    last().request.onOpen()
    await clock.advance(PROVEN_AFTER_MS - 1)
    await fail()
    expect(await untilNextAttempt()).toBe(8_000)
    last().request.onOpen()
    await clock.advance(PROVEN_AFTER_MS)
    await fail()
    expect(await untilNextAttempt()).toBe(500)
  })

  it("that the server ends after it was up for 5 s is opened again, and is no error; one that it ends at once is", async () => {
    const { connection, opened, last, clock, settle, errors } = setUp()
    await opened()
    await clock.advance(PROVEN_AFTER_MS)
    last().end()
    await settle()
    expect(connection.state.status).toBe("reconnecting")
    expect(errors).toEqual([])
    await clock.advance(500)
    last().request.onOpen()
    await settle()
    last().end()
    await settle()
    expect(errors).toMatchObject([{ code: "network" }])
  })

  it("stays away as long as the server asks", async () => {
    const { connection, fail, untilNextAttempt } = setUp({ random: 0 })
    connection.connect()
    await fail(new SessionError("unavailable", "full", { status: 429, retryAfterMs: 7_000 }))
    expect(await untilNextAttempt()).toBe(7_000)
  })

  it.each(["unauthorized", "session_not_found", "refused"] as const)("for good (%s) is not opened again, and is reported once", async (code) => {
    const { opened, fail, clock, connection, attempts, errors } = setUp()
    await opened()
    const error = new SessionError(code, "no")
    await fail(error)
    await clock.advance(3_600_000)
    expect(connection.state).toEqual({ status: "failed", error })
    expect(attempts.length).toBe(1)
    expect(clock.pending).toBe(0)
    expect(errors).toEqual([error])
  })

  it("says nothing any more: late events, ids and bytes of it change nothing", async () => {
    const { opened, attempts, connection, last, events } = setUp()
    await opened()
    attempts[0]!.request.onId("1")
    connection.connect()
    last().request.onOpen()
    const old = attempts[0]!.request
    old.onEvent({ type: "session.running", data: '{"running":true}' })
    old.onId("99")
    old.onOpen()
    expect(events).toEqual([])
    connection.connect()
    expect(last().request.lastEventId).toBe("1")
  })
})

describe("a silent stream", () => {
  it("that is not open in 10 s is given up, with the likely cause", async () => {
    const { connection, clock, errors, attempts } = setUp()
    connection.connect()
    await clock.advance(OPEN_TIMEOUT_MS - 1)
    expect(errors).toEqual([])
    await clock.advance(1)
    expect(connection.state).toMatchObject({ status: "reconnecting", error: { code: "network" } })
    expect(String(errors[0])).toMatch(/10 s.*six open tabs.*HTTP\/2/s)
    expect(attempts[0]!.request.signal.aborted).toBe(true)
  })

  it("that has said nothing for 2.5 keep-alives is replaced", async () => {
    const { opened, clock, errors, attempts, untilNextAttempt } = setUp()
    await opened()
    await clock.advance(STREAM_SILENCE_MS - 1)
    expect(errors).toEqual([])
    await clock.advance(1)
    expect(String(errors[0])).toContain("silent")
    expect(attempts[0]!.request.signal.aborted).toBe(true)
    expect(await untilNextAttempt()).toBe(500)
  })

  it("lives as long as any bytes come", async () => {
    const { opened, clock, last, attempts, errors } = setUp()
    await opened()
    for (let count = 0; count < 20; count++) {
      await clock.advance(2 * KEEP_ALIVE_MS)
      last().request.onBytes()
    }
    expect(attempts.length).toBe(1)
    expect(errors).toEqual([])
    await clock.advance(STREAM_SILENCE_MS)
    expect(errors.length).toBe(1)
  })

  it("is replaced at the first wake after a sleep, although it says that it is open", async () => {
    const { opened, clock, connection, attempts, live } = setUp()
    await opened()
    clock.jump(8 * 3_600_000)
    connection.wake()
    expect(attempts.length).toBe(2)
    expect(live()).toBe(1)
  })

  it("is replaced at the first tick after a sleep, also when nothing tells of the return", async () => {
    const { opened, clock, attempts, live } = setUp({ random: 0 })
    await opened()
    clock.jump(8 * 3_600_000)
    await clock.advance(0)
    expect(attempts.length).toBe(2)
    expect(live()).toBe(1)
  })

  it("is found also when the clock was set back meanwhile", async () => {
    let offset = 0
    const { opened, clock, attempts } = setUp({ random: 0, clockOffset: () => offset })
    await opened()
    offset = -3_600_000
    await clock.advance(2 * STREAM_SILENCE_MS)
    expect(attempts.length).toBeGreaterThan(1)
  })

  it("costs one reconnect at most when the clock jumps an hour ahead, and none when it jumps back", async () => {
    let offset = 0
    const { opened, clock, last, attempts } = setUp({ random: 0, clockOffset: () => offset })
    await opened()
    let open = last()
    const alive = async (): Promise<void> => {
      for (let count = 0; count < 30; count++) {
        await clock.advance(KEEP_ALIVE_MS / 3)
        if (open !== last()) last().request.onOpen()
        open = last()
        open.request.onBytes()
      }
    }
    offset = -3_600_000
    await alive()
    expect(attempts.length).toBe(1)
    offset = 3_600_000
    await alive()
    expect(attempts.length).toBeLessThanOrEqual(2)
  })
})

describe("a connection that is told of the page", () => {
  it("ends its wait when it is woken", async () => {
    const { opened, fail, connection, attempts, clock } = setUp()
    await opened()
    await fail()
    connection.wake()
    expect(attempts.length).toBe(2)
    await clock.advance(5_000)
    expect(attempts.length).toBe(2)
  })

  it.each(["connecting", "open"])("changes nothing when it is woken while it is %s", async (status) => {
    const { opened, connection, attempts } = setUp()
    if (status === "open") await opened()
    else connection.connect()
    connection.wake()
    expect(attempts.length).toBe(1)
    expect(connection.state.status).toBe(status)
  })

  it("replaces an open stream at once when it is told that it may be dead", async () => {
    const { opened, connection, attempts, live, states } = setUp()
    await opened()
    connection.connect()
    expect(attempts.length).toBe(2)
    expect(attempts[0]!.request.signal.aborted).toBe(true)
    expect(live()).toBe(1)
    expect(states).toEqual(["open", "reconnecting"])
  })

  it("replaces it once, however many events tell of the page's return", async () => {
    const { opened, connection, clock, attempts } = setUp()
    await opened()
    connection.connect()
    connection.connect()
    connection.wake()
    await clock.advance(FRESH_ATTEMPT_MS - 1)
    connection.connect()
    expect(attempts.length).toBe(2)
    await clock.advance(1)
    connection.connect()
    expect(attempts.length).toBe(3)
  })

  it("has no stream, and opens none, while the page is put away", async () => {
    const { opened, connection, clock, live, attempts, states, errors } = setUp()
    await opened()
    connection.suspend()
    expect(live()).toBe(0)
    await clock.advance(3_600_000)
    expect(attempts.length).toBe(1)
    expect(clock.pending).toBe(0)
    expect(states).toEqual(["open", "reconnecting"])
    expect(errors).toEqual([])
    connection.connect()
    expect(attempts.length).toBe(2)
  })

  it("may be put away before it was open, and during a wait", async () => {
    for (const isWaiting of [false, true]) {
      const { connection, clock, fail, attempts } = setUp()
      connection.connect()
      if (isWaiting) await fail()
      connection.suspend()
      await clock.advance(3_600_000)
      expect(attempts.length).toBe(1)
      expect(clock.pending).toBe(0)
    }
  })

  it("stays put away when a subscriber puts it away because it was lost", async () => {
    const { opened, connection, fail, clock, attempts } = setUp()
    await opened()
    connection.subscribe((state) => state.status === "reconnecting" && connection.suspend())
    await fail()
    await clock.advance(3_600_000)
    expect(attempts.length).toBe(1)
    expect(clock.pending).toBe(0)
  })
})

describe("asking a connection to try again", () => {
  it("connects at once from a wait", async () => {
    const { connection, fail, attempts, live } = setUp()
    connection.connect()
    await fail()
    connection.retry()
    expect(attempts.length).toBe(2)
    expect(live()).toBe(1)
  })

  it("connects at once after it failed for good", async () => {
    const { connection, fail, attempts, states } = setUp()
    connection.connect()
    await fail(new SessionError("refused", "no"))
    connection.retry()
    expect(attempts.length).toBe(2)
    expect(states).toEqual(["failed", "reconnecting"])
  })

  it.each(["connecting", "open", "closed"])("changes nothing while it is %s", async (status) => {
    const { connection, opened, attempts } = setUp()
    if (status === "connecting") connection.connect()
    else await opened()
    if (status === "closed") connection.close()
    connection.retry()
    connection.retry()
    expect(attempts.length).toBe(1)
    expect(connection.state.status).toBe(status)
  })

  it("may be done by a subscriber as soon as it failed", async () => {
    const { connection, fail, attempts, live } = setUp()
    connection.subscribe((state) => state.status === "failed" && connection.retry())
    connection.connect()
    await fail(new SessionError("refused", "no"))
    expect(attempts.length).toBe(2)
    expect(live()).toBe(1)
    expect(connection.state.status).toBe("reconnecting")
  })
})

describe("closing a connection", () => {
  const points: [string, (set: ReturnType<typeof setUp>) => Promise<void> | void][] = [
    ["before it was asked to connect", () => {}],
    ["while it connects", ({ connection }) => connection.connect()],
    ["while it is open", ({ opened }) => opened()],
    [
      "while it waits",
      async ({ connection, fail }) => {
        connection.connect()
        await fail()
      },
    ],
    [
      "while it is put away",
      async ({ connection, opened }) => {
        await opened()
        connection.suspend()
      },
    ],
    [
      "after it failed",
      async ({ connection, fail }) => {
        connection.connect()
        await fail(new SessionError("refused", "no"))
      },
    ],
  ]

  it.each(points)("%s leaves no stream and no timer, and nothing opens it again", async (_when, reach) => {
    const set = setUp()
    const { connection, clock, live, attempts, last } = set
    await reach(set)
    const before = attempts.length
    connection.close()
    connection.close()
    expect(connection.state).toEqual({ status: "closed", error: undefined })
    expect(live()).toBe(0)
    expect(clock.pending).toBe(0)
    connection.connect()
    connection.wake()
    connection.retry()
    connection.fail(new SessionError("refused", "late"))
    if (before > 0) last().request.onOpen()
    await clock.advance(3_600_000)
    expect(connection.state.status).toBe("closed")
    expect(attempts.length).toBe(before)
    expect(clock.pending).toBe(0)
  })

  it("says so by one transition, and so does a failure", async () => {
    for (const end of ["closed", "failed"] as const) {
      const { connection, opened, states } = setUp()
      await opened()
      if (end === "closed") connection.close()
      else connection.fail(new SessionError("unauthorized", "no"))
      expect(states).toEqual(["open", end])
    }
  })

  it.each(["open", "reconnecting", "failed"])("by a subscriber that hears of %s leaves nothing behind", async (status) => {
    const { connection, clock, last, fail, live, attempts } = setUp()
    connection.subscribe((state) => state.status === status && connection.close())
    connection.connect()
    if (status === "open") last().request.onOpen()
    else await fail(status === "failed" ? new SessionError("refused", "no") : network())
    await clock.advance(3_600_000)
    expect(connection.state.status).toBe("closed")
    expect(live()).toBe(0)
    expect(attempts.length).toBe(1)
    expect(clock.pending).toBe(0)
  })
})

describe("failing a connection", () => {
  it("ends its stream and its wait, for good", async () => {
    for (const isWaiting of [false, true]) {
      const { connection, opened, fail, clock, live, attempts } = setUp()
      await opened()
      if (isWaiting) await fail()
      connection.fail(new SessionError("unauthorized", "no"))
      await clock.advance(3_600_000)
      expect(connection.state).toMatchObject({ status: "failed", error: { code: "unauthorized" } })
      expect(live()).toBe(0)
      expect(attempts.length).toBe(1)
      expect(clock.pending).toBe(0)
      connection.wake()
      connection.connect()
      expect(attempts.length).toBe(1)
    }
  })
})

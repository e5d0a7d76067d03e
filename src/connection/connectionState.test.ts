import { describe, expect, it } from "vitest"
import { SessionError } from "../wire/sessionError.ts"
import { CONNECTING, type ConnectionEvent, type ConnectionState, nextConnectionState } from "./connectionState.ts"

const cut = new SessionError("network", "cut")
const refusal = new SessionError("refused", "no")

const STATES: { readonly [Status in ConnectionState["status"]]: ConnectionState } = {
  connecting: CONNECTING,
  open: { status: "open", error: undefined },
  reconnecting: { status: "reconnecting", error: cut },
  failed: { status: "failed", error: refusal },
  closed: { status: "closed", error: undefined },
}

const EVENTS: { readonly [Type in ConnectionEvent["type"]]: ConnectionEvent } = {
  opened: { type: "opened" },
  lost: { type: "lost", error: cut },
  refused: { type: "refused", error: refusal },
  retried: { type: "retried" },
  closed: { type: "closed" },
}

/** The drawing above the type, arrow by arrow; what is not here changes nothing. */
const ARROWS: { readonly [Status in ConnectionState["status"]]: { readonly [Type in ConnectionEvent["type"]]?: ConnectionState["status"] } } = {
  connecting: { opened: "open", lost: "reconnecting", refused: "failed", closed: "closed" },
  open: { lost: "reconnecting", refused: "failed", closed: "closed" },
  reconnecting: { opened: "open", lost: "reconnecting", refused: "failed", closed: "closed" },
  failed: { refused: "failed", retried: "reconnecting", closed: "closed" },
  closed: {},
}

const statuses = Object.keys(STATES) as ConnectionState["status"][]
const types = Object.keys(EVENTS) as ConnectionEvent["type"][]
const rows = statuses.flatMap((status) => types.map((type) => [status, type, ARROWS[status][type]] as const))

describe("the connection's state", () => {
  it.each(rows.filter(([, , to]) => to !== undefined))("%s becomes by %s: %s", (from, type, to) => {
    expect(nextConnectionState(STATES[from], EVENTS[type]).status).toBe(to)
  })

  it.each(rows.filter(([, , to]) => to === undefined))("%s is the same object after %s", (from, type) => {
    expect(nextConnectionState(STATES[from], EVENTS[type])).toBe(STATES[from])
  })

  it("keeps why the stream was lost, or why it was refused, until it is open", () => {
    const lost = nextConnectionState(STATES.open, EVENTS.lost)
    expect(lost.error).toBe(cut)
    expect(nextConnectionState(lost, EVENTS.opened).error).toBeUndefined()
    const failed = nextConnectionState(lost, EVENTS.refused)
    expect(failed.error).toBe(refusal)
    expect(nextConnectionState(failed, EVENTS.retried)).toEqual({ status: "reconnecting", error: refusal })
  })

  it("says no reason where the page put the stream away itself", () => {
    expect(nextConnectionState(STATES.open, { type: "lost" })).toEqual({ status: "reconnecting", error: undefined })
  })
})

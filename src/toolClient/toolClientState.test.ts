import { describe, expect, it } from "vitest"
import { JOINING, nextToolClientState, type ToolClientEvent, type ToolClientState } from "./toolClientState.ts"

const TOOLS: readonly string[] = ["add"]
const base = { id: "c1", name: "web", calls: [] }
const reason = new Error("no")

const STATES: { readonly [Status in ToolClientState["status"]]: ToolClientState } = {
  joining: JOINING,
  serving: { ...base, status: "serving", error: undefined, tools: TOOLS },
  leaving: { ...base, status: "leaving", error: undefined, tools: [] },
  left: { ...base, status: "left", error: undefined, tools: [] },
  failed: { ...base, status: "failed", error: reason, tools: [] },
}

const EVENTS: Readonly<Record<ToolClientEvent["type"], ToolClientEvent>> = {
  registered: { type: "registered", id: "c2", name: "web_2", tools: ["sub"] },
  updated: { type: "updated", tools: ["sub"] },
  lost: { type: "lost" },
  refused: { type: "refused", error: reason },
  rejoined: { type: "rejoined" },
  leaving: { type: "leaving" },
  left: { type: "left" },
  calls: { type: "calls", calls: [] },
}

/** The drawing above the type, arrow by arrow; what is not here keeps the status. */
const ARROWS: { readonly [Status in ToolClientState["status"]]: Partial<Record<ToolClientEvent["type"], ToolClientState["status"]>> } = {
  joining: { registered: "serving", refused: "failed", leaving: "leaving", left: "left" },
  serving: { lost: "joining", refused: "failed", leaving: "leaving", left: "left" },
  failed: { rejoined: "joining", registered: "serving", leaving: "leaving", left: "left" },
  leaving: { left: "left" },
  left: {},
}

const statuses = Object.keys(STATES) as ToolClientState["status"][]
const types = Object.keys(EVENTS) as ToolClientEvent["type"][]

describe("a tool client's state", () => {
  it.each(statuses.flatMap((status) => types.map((type) => [status, type, ARROWS[status][type] ?? status] as const)))(
    "%s after %s is %s",
    (from, type, to) => {
      expect(nextToolClientState(STATES[from], EVENTS[type]).status).toBe(to)
    },
  )

  it.each<[ToolClientState["status"], ToolClientEvent["type"]]>([
    ["joining", "lost"],
    ["joining", "rejoined"],
    ["failed", "lost"],
    ["leaving", "registered"],
    ["leaving", "updated"],
    ["leaving", "lost"],
    ["leaving", "refused"],
    ["leaving", "leaving"],
    ["left", "registered"],
    ["left", "leaving"],
    ["left", "left"],
    ["left", "refused"],
  ])("%s is the same object after %s", (from, type) => {
    expect(nextToolClientState(STATES[from], EVENTS[type])).toBe(STATES[from])
  })

  it("is the same object when the tools are the same, and when the calls are", () => {
    const { serving } = STATES
    expect(nextToolClientState(serving, { type: "updated", tools: ["add"] })).toBe(serving)
    expect(nextToolClientState(serving, { type: "calls", calls: serving.calls })).toBe(serving)
  })

  it("offers no tools unless it serves", () => {
    for (const type of ["lost", "refused", "leaving", "left"] as const) expect(nextToolClientState(STATES.serving, EVENTS[type]).tools).toEqual([])
  })

  it("keeps its id and name while it registers again", () => {
    expect(nextToolClientState(STATES.serving, EVENTS.lost)).toMatchObject({ id: "c1", name: "web" })
    expect(nextToolClientState(STATES.failed, EVENTS.rejoined)).toMatchObject({ id: "c1", name: "web", error: undefined })
  })

  it("keeps its calls whatever happens", () => {
    const calls = [{ callId: "k" }] as unknown as ToolClientState["calls"]
    for (const status of statuses) for (const type of types) {
      if (type === "calls") continue
      expect(nextToolClientState({ ...STATES[status], calls }, EVENTS[type]).calls).toBe(calls)
    }
  })
})

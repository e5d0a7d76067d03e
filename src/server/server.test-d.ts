import * as api from "@opentelemetry/api"
import { expectTypeOf, test } from "vitest"
import { createSessionServer, createTraceObserver, type ServerEvent, type ServerObserver, type SessionServer } from "./index.ts"

test("an event narrows by its type", () => {
  const observer: ServerObserver = (event) => {
    expectTypeOf(event.at).toEqualTypeOf<number>()
    if (event.type === "call.settled") {
      expectTypeOf(event.durationMs).toEqualTypeOf<number>()
      expectTypeOf(event.isError).toEqualTypeOf<boolean>()
      // @ts-expect-error: there are no arguments in events
      expectTypeOf(event.arguments)
    }
    if (event.type === "stream.closed") expectTypeOf(event.reason).extract<"token_expired">().toEqualTypeOf<"token_expired">()
    // @ts-expect-error: there is no such event
    if (event.type === "call.answered") return
  }
  expectTypeOf(observer).parameter(0).toEqualTypeOf<ServerEvent>()
})

test("OpenTelemetry's own API is one for spans", () => {
  expectTypeOf(createTraceObserver(api)).toEqualTypeOf<ServerObserver>()
})

test("secrets and keys are one or several, authorize says who or null", () => {
  createSessionServer({ secret: "one", apiKey: ["one", "other"] })
  createSessionServer({ authorize: (request, { sessionId }) => request.headers.get(sessionId ?? "") })
  createSessionServer({ authorize: () => Promise.resolve(null) })
  // @ts-expect-error: who it is, not whether
  createSessionServer({ authorize: () => true })
  // @ts-expect-error: there is no such limit
  createSessionServer({ limits: { maxStream: 1 } })
  // @ts-expect-error: limits have a place of their own
  createSessionServer({ maxStreams: 1 })
})

test("what may be left out may be undefined, also with exactOptionalPropertyTypes", () => {
  createSessionServer({ apiKey: process.env["API_KEY"], secret: process.env["SECRET"], limits: { maxStreams: undefined } })
})

test("a server's status is one of three", () => {
  expectTypeOf<SessionServer["status"]>().toEqualTypeOf<"open" | "draining" | "closed">()
})

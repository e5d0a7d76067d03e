import { toStandardJsonSchema } from "@valibot/to-json-schema"
import { type } from "arktype"
import * as v from "valibot"
import { describe, expectTypeOf, it } from "vitest"
import { z } from "zod"
import type { AnyTool } from "../tool/tool.ts"
import type { ToolCall } from "../tool/toolCall.ts"
import type { ToolAnswer } from "../tool/toolSpec.ts"
import type { SessionError } from "../wire/sessionError.ts"
import type { CallRecord } from "./calls.ts"
import type { Session } from "./session.ts"
import type { ToolClient, ToolClientOptions } from "./toolClient.ts"
import type { ToolClientState } from "./toolClientState.ts"

declare const client: ToolClient
declare const session: Session
const description = "d"
const parameters = { type: "object" }

describe("the arguments of addTool's handler", () => {
  it("are the output of the schema, whichever library made it", () => {
    client.addTool("t", {
      description,
      schema: z.object({ n: z.string().transform(Number), s: z.string().default("x") }),
      execute(args, call) {
        expectTypeOf(args).toEqualTypeOf<{ n: number; s: string }>()
        expectTypeOf(call).toEqualTypeOf<ToolCall>()
        return "ok"
      },
    })
    client.addTool("t", {
      description,
      schema: toStandardJsonSchema(v.object({ n: v.number(), s: v.optional(v.string(), "x") })),
      async execute(args) {
        expectTypeOf(args).toEqualTypeOf<{ n: number; s: string }>()
        return { total: args.n }
      },
    })
    client.addTool("t", {
      description,
      schema: type({ n: "number", "s?": "string" }),
      execute(args) {
        expectTypeOf(args).toEqualTypeOf<{ n: number; s?: string }>()
        return undefined
      },
    })
  })

  it("are what `parse` returns, awaited", () => {
    client.addTool("t", {
      description,
      parameters,
      parse: async (args) => {
        expectTypeOf(args).toEqualTypeOf<unknown>()
        return { n: 5 }
      },
      execute(args) {
        expectTypeOf(args).toEqualTypeOf<{ n: number }>()
        return { text: "no", is_error: true }
      },
    })
  })

  it("are unknown without both, unless the handler says what they are", () => {
    client.addTool("t", {
      description,
      parameters,
      execute(args) {
        expectTypeOf(args).toEqualTypeOf<unknown>()
        return null
      },
    })
    client.addTool("t", { description, parameters, execute: (args: { id: string }) => args.id })
  })
})

describe("addTool", () => {
  it("takes either `schema` or `parse`, and needs one of `schema` and `parameters`", () => {
    const execute = (): string => ""
    // @ts-expect-error both validate
    client.addTool("t", { description, schema: z.object({}), parse: () => 1, execute })
    // @ts-expect-error says nothing of what it takes
    client.addTool("t", { description, execute })
    // @ts-expect-error has no description
    client.addTool("t", { parameters, execute })
    // @ts-expect-error does nothing
    client.addTool("t", { description, parameters })
    client.addTool("t", { description, schema: v.object({}), parameters, execute })
  })

  it("takes handlers that return what JSON can say, now or later, and no others", () => {
    client.addTool("t", { description, parameters, execute: async () => [1, { a: null }] })
    client.addTool("t", { description, parameters, execute() {} })
    // @ts-expect-error JSON has no bigint
    client.addTool("t", { description, parameters, execute: () => 5n })
    // @ts-expect-error JSON has no map
    client.addTool("t", { description, parameters, execute: () => new Map() })
  })

  it("returns nothing, and so does removeTool", () => {
    expectTypeOf(client.addTool("t", { description, parameters, execute: () => "" })).toEqualTypeOf<void>()
    expectTypeOf(client.removeTool).toEqualTypeOf<(name: string) => void>()
  })
})

describe("a tool client's state", () => {
  it("narrows on its status", () => {
    const state = client.state
    expectTypeOf(state.status).toEqualTypeOf<"joining" | "serving" | "leaving" | "left" | "failed">()
    if (state.status === "serving") {
      expectTypeOf(state.id).toEqualTypeOf<string>()
      expectTypeOf(state.name).toEqualTypeOf<string>()
      expectTypeOf(state.error).toEqualTypeOf<undefined>()
    }
    if (state.status === "joining") expectTypeOf(state.id).toEqualTypeOf<string | undefined>()
    if (state.status === "failed") expectTypeOf(state.error).toEqualTypeOf<unknown>()
    expectTypeOf(state.tools).toEqualTypeOf<readonly string[]>()
    expectTypeOf(state.calls).toEqualTypeOf<readonly CallRecord[]>()
  })

  it("cannot be changed", () => {
    // @ts-expect-error read only
    client.state.status = "left"
    // @ts-expect-error read only
    client.state.tools.push("t")
    // @ts-expect-error read only
    client.state = {} as ToolClientState
  })

  it("is what a subscription hears, and the subscription ends by its return", () => {
    expectTypeOf(client.subscribe).toEqualTypeOf<(listener: (state: ToolClientState) => void) => () => void>()
    expectTypeOf(client.ready).toEqualTypeOf<Promise<void>>()
  })
})

describe("a call's record", () => {
  it("narrows on its phase", () => {
    const call = client.state.calls[0]!
    expectTypeOf(call.phase).toEqualTypeOf<"acked" | "running" | "answered" | "failed">()
    expectTypeOf(call.arguments).toEqualTypeOf<unknown>()
    switch (call.phase) {
      case "acked":
      case "running":
        expectTypeOf(call.answer).toEqualTypeOf<undefined>()
        expectTypeOf(call.error).toEqualTypeOf<undefined>()
        break
      case "answered":
        expectTypeOf(call.answer).toEqualTypeOf<ToolAnswer>()
        expectTypeOf(call.error).toEqualTypeOf<undefined>()
        break
      case "failed":
        expectTypeOf(call.answer).toEqualTypeOf<ToolAnswer | undefined>()
        expectTypeOf(call.error).toEqualTypeOf<unknown>()
        expectTypeOf(call.isCancelled).toEqualTypeOf<boolean>()
        break
      default:
        expectTypeOf(call).toEqualTypeOf<never>()
    }
  })
})

describe("a session's state", () => {
  it("narrows on its status", () => {
    const state = session.state
    expectTypeOf(state.status).toEqualTypeOf<"connecting" | "open" | "reconnecting" | "closed" | "failed">()
    expectTypeOf(state.id).toEqualTypeOf<string>()
    switch (state.status) {
      case "open":
        expectTypeOf(state.isRunning).toEqualTypeOf<boolean>()
        expectTypeOf(state.error).toEqualTypeOf<undefined>()
        break
      case "failed":
        expectTypeOf(state.error).toEqualTypeOf<SessionError>()
        expectTypeOf(state.isRunning).toEqualTypeOf<false>()
        break
      case "reconnecting":
        expectTypeOf(state.error).toEqualTypeOf<SessionError | undefined>()
        expectTypeOf(state.isRunning).toEqualTypeOf<false>()
        break
      default:
        expectTypeOf(state.error).toEqualTypeOf<undefined>()
        expectTypeOf(state.isRunning).toEqualTypeOf<false>()
    }
  })

  it("cannot be changed", () => {
    // @ts-expect-error read only
    session.state.isRunning = true
  })
})

describe("a session", () => {
  it("gives tool clients, and takes them back", () => {
    expectTypeOf(session.createToolClient).toEqualTypeOf<(name: string, options?: ToolClientOptions) => ToolClient>()
    expectTypeOf(session.deleteToolClient).toEqualTypeOf<(client: ToolClient) => Promise<void>>()
    expectTypeOf(session.close).toEqualTypeOf<() => Promise<void>>()
    expectTypeOf(session.retry).toEqualTypeOf<() => void>()
  })

  it("takes a ttl in seconds, or none at all, as a lifetime", () => {
    session.createToolClient("web", { lifetime: { type: "never" } })
    session.createToolClient("web", { lifetime: { type: "ttl", data: { seconds: 60 } }, onError: (error) => expectTypeOf(error).toEqualTypeOf<unknown>() })
    session.createToolClient("web", { lifetime: undefined })
    // @ts-expect-error a ttl says how long it is
    session.createToolClient("web", { lifetime: { type: "ttl" } })
    // @ts-expect-error no such lifetime
    session.createToolClient("web", { lifetime: { type: "forever" } })
  })
})

describe("any tool", () => {
  it("is what each spelling is assignable to, so that lists of them can be kept", () => {
    const tools: AnyTool[] = [
      { description, schema: z.object({ n: z.number() }), execute: ({ n }: { n: number }) => n },
      { description, parameters, parse: () => 1, execute: (n: number) => n },
      { description, parameters, execute: () => "" },
    ]
    expectTypeOf(tools).toEqualTypeOf<AnyTool[]>()
  })
})

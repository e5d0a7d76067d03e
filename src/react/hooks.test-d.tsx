import { toStandardJsonSchema } from "@valibot/to-json-schema"
import { type } from "arktype"
import * as v from "valibot"
import { describe, expectTypeOf, it } from "vitest"
import { z } from "zod"
import {
  type CallRecord,
  pageTool,
  type PendingApproval,
  type Session,
  type SessionClient,
  SessionProvider,
  type SessionState,
  type ToolCall,
  type ToolClient,
  type ToolClientState,
  useSession,
  useSessionState,
  useTool,
  useToolApproval,
  useToolCalls,
  useToolClient,
  useToolClientState,
  useToolContext,
  useTools,
  type ToolStatus,
  useToolStatus,
} from "../index.ts"

declare const client: ToolClient | null
declare const session: Session | null
declare const sessionClient: SessionClient
const description = "d"
const parameters = { type: "object" }

describe("useTool infers what execute takes", () => {
  it("from a zod schema's output", () => {
    useTool(client, "t", {
      description,
      schema: z.object({ n: z.string().transform(Number), s: z.string().default("x") }),
      execute: async ({ n, s }, call) => {
        expectTypeOf(n).toEqualTypeOf<number>()
        expectTypeOf(s).toEqualTypeOf<string>()
        expectTypeOf(call).toEqualTypeOf<ToolCall>()
        return { n, s }
      },
    })
  })

  it("from a valibot schema's output", () => {
    useTool(client, "t", {
      description,
      schema: toStandardJsonSchema(v.object({ n: v.pipe(v.string(), v.transform(Number)) })),
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ n: number }>()
        return "ok"
      },
    })
  })

  it("from an arktype schema's output", () => {
    useTool(client, "t", {
      description,
      schema: type({ n: "string.numeric.parse", "o?": "boolean" }),
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ n: number; o?: boolean }>()
      },
    })
  })

  it("from what parse returns, also as a promise", () => {
    useTool(client, "t", {
      description,
      parameters,
      parse: async () => ({ n: 1 }),
      execute: ({ n }) => {
        expectTypeOf(n).toEqualTypeOf<number>()
        return n
      },
    })
  })

  it("as unknown without either, or as the handler says", () => {
    useTool(client, "t", {
      description,
      parameters,
      execute: (args) => {
        expectTypeOf(args).toBeUnknown()
        return "ok"
      },
    })
    useTool(client, "t", { description, parameters, execute: ({ n }: { n: number }) => n })
  })

  it("and refuses schema beside parse, and neither schema nor parameters", () => {
    // @ts-expect-error two validations for one call
    useTool(client, "t", { description, schema: z.object({}), parse: () => ({}), execute: () => "ok" })
    // @ts-expect-error it does not say what it takes
    useTool(client, "t", { description, execute: () => "ok" })
    // @ts-expect-error no description
    useTool(client, "t", { schema: z.object({}), execute: () => "ok" })
    // @ts-expect-error a result that no answer can be made of
    useTool(client, "t", { description, schema: z.object({}), execute: () => new Map() })
  })

  it("and refuses a handler that takes something else than its schema gives", () => {
    // @ts-expect-error n is a number
    useTool(client, "t", { description, schema: z.object({ n: z.number() }), execute: ({ n }: { n: string }) => n })
  })
})

describe("useTools", () => {
  it("infers each handler of a record from its own schema", () => {
    useTools(client, {
      a: {
        description,
        schema: z.object({ a: z.string() }),
        execute: (args) => {
          expectTypeOf(args).toEqualTypeOf<{ a: string }>()
        },
      },
      b: {
        description,
        schema: type({ b: "number" }),
        execute: (args) => {
          expectTypeOf(args).toEqualTypeOf<{ b: number }>()
        },
      },
    })
  })

  it("takes a mixed record, a computed one and a list of pageTool", () => {
    useTools(client, {
      a: pageTool({ description, schema: z.object({ a: z.string() }), execute: ({ a }) => a }),
      b: pageTool({ description, parameters, parse: () => 1, execute: (n) => n }),
      c: pageTool({ description, parameters, execute: () => "ok" }),
    })
    useTools(
      client,
      Object.fromEntries([1, 2].map((n) => [`room_${n}`, pageTool({ description, parameters, execute: () => n })])),
    )
    useTools(client, [{ name: "a", ...pageTool({ description, schema: z.object({ a: z.string() }), execute: ({ a }) => a }) }])
    // @ts-expect-error a list's tools carry their names
    useTools(client, [pageTool({ description, parameters, execute: () => "ok" })])
  })
})

describe("the other hooks", () => {
  it("take a client and a session that are not known yet", () => {
    expectTypeOf(useSession("s")).toEqualTypeOf<Session | null>()
    expectTypeOf(useSession(undefined)).toEqualTypeOf<Session | null>()
    expectTypeOf(useToolClient(null, "shop")).toEqualTypeOf<ToolClient>()
    expectTypeOf(useToolClient(session, "shop", { lifetime: { type: "never" } })).toEqualTypeOf<ToolClient>()
    useTool(null, "t", { description, parameters, execute: () => "ok" })
    useTool(undefined, "t", { description, parameters, execute: () => "ok" })
    useTools(undefined, {})
  })

  it("give the snapshot, or what the selector makes of it", () => {
    expectTypeOf(useSessionState(session)).toEqualTypeOf<SessionState>()
    expectTypeOf(useSessionState(session, ({ isRunning }) => isRunning)).toEqualTypeOf<boolean>()
    expectTypeOf(useToolClientState(client)).toEqualTypeOf<ToolClientState>()
    expectTypeOf(useToolClientState(client, ({ tools }) => tools.length)).toEqualTypeOf<number>()
    const sameKind = (one: { kind: string }, other: { kind: string }): boolean => one.kind === other.kind
    expectTypeOf(useSessionState(session, ({ status }) => ({ kind: status }), sameKind)).toEqualTypeOf<{ kind: SessionState["status"] }>()
    expectTypeOf(useToolClientState(client, ({ status }) => ({ kind: status }), sameKind)).toEqualTypeOf<{ kind: ToolClientState["status"] }>()
    expectTypeOf(useToolCalls(client)).toEqualTypeOf<readonly CallRecord[]>()
    expectTypeOf(useToolCalls(client, ({ phase }) => phase === "running")).toEqualTypeOf<readonly CallRecord[]>()
    expectTypeOf(useToolStatus(client, "t")).toEqualTypeOf<ToolStatus>()
    useToolContext(client, "t", { description, read: async () => ({ items: [1] }) })
  })

  it("give an approval whose ends fit a button and any other callback", () => {
    const { ask, pending } = useToolApproval()
    expectTypeOf(ask).returns.resolves.toBeBoolean()
    expectTypeOf(pending).toEqualTypeOf<PendingApproval | null>()
    const confirm = (_props: { onConfirm: (value: { pressed: true }) => void }): null => null
    if (pending) confirm({ onConfirm: pending.approve })
    return <button onClick={pending?.approve} onKeyDown={pending?.refuse} />
  })

  it("stand below a provider that loads its client, or the module whose default export it is", () => {
    const file = (): Promise<{ default: SessionClient; other: number }> => Promise.reject(new Error())
    return [
      <SessionProvider key="1" client={() => file()}>text</SessionProvider>,
      <SessionProvider key="2" client={async () => (await file()).default}>text</SessionProvider>,
      // @ts-expect-error a module without the client
      <SessionProvider key="3" client={() => Promise.resolve({ client: sessionClient })}>text</SessionProvider>,
      // @ts-expect-error a default export that is none
      <SessionProvider key="4" client={() => Promise.resolve({ default: 1 })}>text</SessionProvider>,
    ]
  })

  it("stand below a provider that needs a client", () => {
    // @ts-expect-error no client
    const without = <SessionProvider>text</SessionProvider>
    return [
      without,
      <SessionProvider key="1" client={sessionClient} onError={(error) => expectTypeOf(error).toBeUnknown()}>
        text
      </SessionProvider>,
    ]
  })
})

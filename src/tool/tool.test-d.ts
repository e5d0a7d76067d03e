import { toStandardJsonSchema } from "@valibot/to-json-schema"
import { type } from "arktype"
import * as v from "valibot"
import { describe, expectTypeOf, it } from "vitest"
import { z } from "zod"
import { z as zm } from "zod/mini"
import {
  pageTool,
  type AnyTool,
  type InlineTools,
  type ParseTool,
  type RawTool,
  type SchemaTool,
  type ToolDeclare,
  type ToolResult,
} from "./tool.ts"
import type { ToolCall } from "./toolCall.ts"

declare const addTool: ToolDeclare<[name: string], void>
declare const useTool: ToolDeclare<[client: object | null, name: string], void>

declare function useTools<T extends readonly unknown[] | Readonly<Record<string, unknown>>>(client: object | null, tools: InlineTools<T>): void

const description = "d"
const parameters = { type: "object" }

describe("the arguments of an inline handler", () => {
  it("are the output of a zod schema, transforms and defaults included", () => {
    addTool("t", {
      description,
      schema: z.object({ n: z.string().transform(Number), s: z.string().default("x"), o: z.string().optional() }),
      execute: (args, call) => {
        expectTypeOf(args).toEqualTypeOf<{ n: number; s: string; o?: string | undefined }>()
        expectTypeOf(call).toEqualTypeOf<ToolCall>()
        return "ok"
      },
    })
    useTool(null, "t", {
      description,
      schema: z.object({ n: z.coerce.number() }),
      execute: async ({ n }) => {
        expectTypeOf(n).toEqualTypeOf<number>()
      },
    })
    addTool("t", {
      description,
      execute(args) {
        expectTypeOf(args).toEqualTypeOf<{ a: string }>()
      },
      schema: z.object({ a: z.string() }),
    })
    addTool("t", {
      description,
      schema: zm.object({ a: zm.string() }),
      parameters,
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ a: string }>()
      },
    })
  })

  it("are the output of a valibot schema", () => {
    const schema = v.object({ n: v.pipe(v.string(), v.transform(Number)), s: v.optional(v.string(), "x") })
    addTool("t", {
      description,
      schema: toStandardJsonSchema(schema),
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ n: number; s: string }>()
        return "ok"
      },
    })
    useTool({}, "t", {
      description,
      schema,
      parameters,
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ n: number; s: string }>()
        return "ok"
      },
    })
  })

  it("are the output of an arktype", () => {
    useTool({}, "t", {
      description,
      schema: type({ n: "string.numeric.parse", s: "string = 'x'", "o?": "boolean" }),
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ n: number; s: string; o?: boolean }>()
        return "ok"
      },
    })
  })

  it("are what parse returns, or promises", () => {
    addTool("t", {
      description,
      parameters,
      parse: (args) => {
        expectTypeOf(args).toBeUnknown()
        return { qty: Number(args) }
      },
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ qty: number }>()
        return "ok"
      },
    })
    useTool(null, "t", {
      description,
      parameters,
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ qty: number }>()
        return "ok"
      },
      parse: async (_: unknown) => ({ qty: 1 }),
    })
  })

  it("are unknown without schema and parse, or what the handler annotates", () => {
    addTool("t", {
      description,
      parameters,
      execute: (args) => {
        expectTypeOf(args).toBeUnknown()
        return "ok"
      },
    })
    addTool("t", {
      description,
      parameters,
      execute: (args: { a: string }, call) => {
        expectTypeOf(args).toEqualTypeOf<{ a: string }>()
        expectTypeOf(call).toEqualTypeOf<ToolCall>()
        return "ok"
      },
    })
    addTool("t", { description, parameters, execute: () => "ok" })
  })
})

describe("a definition that is refused by type", () => {
  it("has schema beside parse", () => {
    // @ts-expect-error two validations for one call
    addTool("t", { description, schema: z.object({}), parse: (args: unknown) => args, execute: () => "ok" })
    // @ts-expect-error the same with parameters
    useTool(null, "t", { description, parameters, schema: z.object({}), parse: (args: unknown) => args, execute: () => "" })
    // @ts-expect-error the same for the helper
    pageTool({ description, parameters, schema: z.object({}), parse: (args: unknown) => args, execute: () => "ok" })
  })

  it("has neither schema nor parameters", () => {
    // @ts-expect-error it does not say what it takes
    addTool("t", { description, execute: () => "ok" })
    // @ts-expect-error parse alone describes nothing
    addTool("t", { description, parse: (args: unknown) => args, execute: () => "ok" })
  })

  it("has no description, or an option that does not exist", () => {
    // @ts-expect-error no description
    addTool("t", { schema: z.object({}), execute: () => "ok" })
    // @ts-expect-error no such concurrency
    addTool("t", { description, schema: z.object({}), concurrency: "random", execute: () => "ok" })
    // @ts-expect-error no such option
    addTool("t", { description, schema: z.object({}), timeuot: 5, execute: () => "ok" })
  })

  it("has a handler that asks for more than the schema gives", () => {
    // @ts-expect-error the schema gives a number
    addTool("t", { description, schema: z.object({ a: z.number() }), execute: (args: { a: string }) => args.a })
    // @ts-expect-error `a` may be missing
    addTool("t", { description, schema: z.object({ a: z.string().optional() }), execute: (args: { a: string }) => args.a })
  })
})

describe("a result", () => {
  interface Row {
    id: number
    tags: readonly string[]
  }
  const row: Row = { id: 1, tags: [] }

  it("is a string, an answer, a JSON value, an interface without index signature or nothing, now or later", () => {
    const schema = z.object({})
    addTool("t", { description, schema, execute: () => row })
    addTool("t", { description, schema, execute: async () => [row] })
    addTool("t", { description, schema, execute: () => ({ text: "t", is_error: false }) })
    addTool("t", { description, schema, execute: () => {} })
    addTool("t", { description, schema, execute: async () => {} })
    addTool("t", { description, schema, execute: () => (Math.random() > 0.5 ? null : 5) })
    addTool("t", { description, schema, execute: async () => JSON.parse("1") })
    addTool("t", { description, schema, execute: () => new Date() })
    addTool("t", { description, schema, execute: (_, call) => (call.signal.aborted ? undefined : { deep: { row } }) })
    expectTypeOf<object>().toExtend<ToolResult>()
  })

  it("is no bigint, function, symbol, map or set", () => {
    const schema = z.object({})
    // @ts-expect-error bigint
    addTool("t", { description, schema, execute: () => 1n })
    // @ts-expect-error function
    addTool("t", { description, schema, execute: () => () => 1 })
    // @ts-expect-error class
    addTool("t", { description, schema, execute: () => Date })
    // @ts-expect-error symbol
    addTool("t", { description, schema, execute: async () => Symbol("s") })
    // @ts-expect-error map
    addTool("t", { description, schema, execute: async () => new Map<string, string>() })
    // @ts-expect-error set, without a schema
    useTool(null, "t", { description, parameters, execute: () => new Set<string>() })
  })

  it("is checked against the output schema's input, or is a failure", () => {
    const schema = z.object({ a: z.string() })
    const output = z.object({ total: z.number(), currency: z.string().default("EUR") })
    addTool("t", {
      description,
      schema,
      output,
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ a: string }>()
        return { total: 1 }
      },
    })
    addTool("t", { description, schema, output, execute: async () => ({ text: "sold out", is_error: true }) })
    useTool(null, "t", { description, parameters, output, execute: async () => ({ total: 1, currency: "USD" }) })
    // @ts-expect-error total is a number
    addTool("t", { description, schema, output, execute: () => ({ total: "1" }) })
    // @ts-expect-error nothing is returned
    addTool("t", { description, schema, output, execute: () => {} })
    // @ts-expect-error a success is what the output schema takes
    addTool("t", { description, schema, output, execute: () => ({ text: "one", is_error: false }) })
    // @ts-expect-error for a raw tool too
    addTool("t", { description, parameters, output, execute: async () => ({ total: "1" }) })
    // @ts-expect-error for a parse tool too
    addTool("t", { description, parameters, parse: (a: unknown) => a, output, execute: () => 5 })
  })
})

describe("a result that is written where it is returned", () => {
  const output = z.object({ kind: z.enum(["a", "b"]), tags: z.array(z.literal("x")).optional() })

  it("keeps its literals, of each library and spelling, now and later", () => {
    addTool("t", { description, schema: z.object({}), output, execute: () => ({ kind: "a" }) })
    addTool("t", { description, parameters, output, execute: async () => ({ kind: "a", tags: ["x"] }) })
    addTool("t", { description, parameters, parse: () => 1, output, execute: (n) => ({ kind: n > 0 ? "a" : "b" }) })
    const ofValibot = v.object({ kind: v.picklist(["a", "b"]), tags: v.array(v.literal("x")) })
    addTool("t", { description, parameters, output: ofValibot, execute: async () => ({ kind: "a", tags: ["x"] }) })
    addTool("t", { description, parameters, output: type({ kind: "'a' | 'b'" }), execute: () => ({ kind: "a" }) })
    pageTool({ description, parameters, output, execute: () => ({ kind: "a" }) })
    const union = z.discriminatedUnion("t", [z.object({ t: z.literal("x"), a: z.number() }), z.object({ t: z.literal("y") })])
    addTool("t", { description, parameters, output: union, execute: () => (Math.random() > 1 ? { t: "x", a: 1 } : { t: "y" }) })
    // @ts-expect-error no such kind
    addTool("t", { description, parameters, output, execute: () => ({ kind: "c" }) })
    // @ts-expect-error the same, later
    addTool("t", { description, parameters, output, execute: async () => ({ kind: "c" }) })
  })

  it("may hold what its output schema makes JSON of, lists, dates, itself and what is known already", () => {
    const rows = z.object({ rows: z.array(z.object({ at: z.date().transform(String), pair: z.tuple([z.string(), z.number()]) })), n: z.number().nullable() })
    const known: z.input<typeof rows>["rows"] = []
    addTool("t", { description, parameters, output: rows, execute: () => ({ rows: [{ at: new Date(), pair: ["a", 1] }], n: null }) })
    addTool("t", { description, parameters, output: rows, execute: async () => ({ rows: known, n: 1 }) })
    interface Tree { id: string; children: Tree[] }
    const trees: z.ZodType<Tree> = z.any()
    addTool("t", { description, parameters, output: trees, execute: () => ({ id: "1", children: [{ id: "2", children: [] }] }) })
  })

  it("is no response, error or JSX; what merely has names of theirs is data", () => {
    // @ts-expect-error its body has not been read
    addTool("t", { description, parameters, execute: () => fetch("/") })
    // @ts-expect-error throw it, or return its message
    addTool("t", { description, parameters, execute: async () => new Error("no") })
    const element: import("react").JSX.Element | undefined = undefined
    // @ts-expect-error nothing that a model reads
    addTool("t", { description, parameters, execute: () => element! })
    addTool("t", { description, parameters, execute: () => ({ name: "a", message: "m" }) })
    addTool("t", { description, parameters, execute: () => ({ type: "button", props: { a: 1 } }) })
    addTool("t", { description, parameters, execute: () => ({ key: "k", stack: "s" }) })
  })
})

describe("pageTool", () => {
  it("infers each spelling and gives its type back", () => {
    const bySchema = pageTool({
      description,
      schema: z.object({ a: z.string() }),
      execute: ({ a }) => {
        expectTypeOf(a).toEqualTypeOf<string>()
        return a
      },
    })
    expectTypeOf(bySchema).toExtend<AnyTool>()
    expectTypeOf(bySchema.execute).parameter(0).toEqualTypeOf<{ a: string }>()
    const byParse = pageTool({ description, parameters, parse: (a) => String(a), execute: (a) => a.toUpperCase() })
    expectTypeOf(byParse).toEqualTypeOf<ParseTool<string>>()
    expectTypeOf(byParse).toExtend<AnyTool>()
    const raw = pageTool({ description, parameters, execute: (a) => expectTypeOf(a).toBeUnknown() && "" })
    expectTypeOf(raw).toEqualTypeOf<RawTool>()
    const annotated = pageTool({ description, parameters, execute: (a: { x: number }) => a.x })
    expectTypeOf(annotated).toEqualTypeOf<RawTool<{ x: number }>>()
    const output = pageTool({ description, parameters, output: z.number(), execute: () => 5 })
    addTool("t", bySchema)
    addTool("t", byParse)
    addTool("t", annotated)
    addTool("t", output)
    useTools(null, { bySchema, byParse, raw, annotated, output })
    useTools(null, [{ name: "bySchema", ...bySchema }])
    const tools: AnyTool[] = [bySchema, byParse, raw, annotated, output]
    expectTypeOf(tools).toExtend<readonly AnyTool[]>()
  })
})

describe("a record of schema tools", () => {
  it("infers each handler from its own schema", () => {
    useTools(null, {
      add: {
        description,
        schema: z.object({ n: z.number() }),
        execute: (args) => {
          expectTypeOf(args).toEqualTypeOf<{ n: number }>()
          return "ok"
        },
      },
      rename: {
        description,
        schema: type({ to: "string" }),
        execute: async ({ to }, call) => {
          expectTypeOf(to).toEqualTypeOf<string>()
          expectTypeOf(call).toEqualTypeOf<ToolCall>()
        },
      },
      remove: {
        description,
        schema: toStandardJsonSchema(v.object({ id: v.optional(v.number(), 1) })),
        output: z.object({ left: z.number() }),
        execute: ({ id }) => {
          expectTypeOf(id).toEqualTypeOf<number>()
          return { left: id }
        },
      },
    })
  })

  it("takes tools of other spellings through pageTool", () => {
    useTools(null, {
      add: pageTool({ description, schema: z.object({ n: z.number() }), execute: ({ n }) => expectTypeOf(n).toBeNumber() && "" }),
      raw: pageTool({ description, parameters, execute: (args) => expectTypeOf(args).toBeUnknown() && "" }),
    })
  })

  it("and a list infer each handler, of whichever spelling", () => {
    useTools(null, {
      a: { description, schema: z.object({ a: z.string() }), execute: (args) => expectTypeOf(args).toEqualTypeOf<{ a: string }>() && "" },
      b: { description, parameters, parse: async (args: unknown) => Number(args), execute: (n) => expectTypeOf(n).toEqualTypeOf<number>() && "" },
      c: { description, parameters, execute: (args) => expectTypeOf(args).toBeUnknown() && "" },
      d: { description, parameters, execute: (args: { q: 1 }) => expectTypeOf(args).toEqualTypeOf<{ q: 1 }>() && "" },
    })
    useTools(null, [
      { name: "a", description, schema: z.object({ a: z.string() }), execute: (args) => expectTypeOf(args).toEqualTypeOf<{ a: string }>() && "" },
      { name: "b", description, parameters, parse: (args: unknown) => Number(args), execute: (n) => expectTypeOf(n).toEqualTypeOf<number>() && "" },
      { name: "c", description, schema: type({ n: "number" }), execute: ({ n }) => expectTypeOf(n).toEqualTypeOf<number>() && "" },
      { name: "d", description, schema: toStandardJsonSchema(v.object({ n: v.number() })), execute: ({ n }) => expectTypeOf(n).toEqualTypeOf<number>() && "" },
    ])
    // @ts-expect-error a list's tools carry their names
    useTools(null, [{ description, parameters, execute: () => "ok" }])
    // @ts-expect-error the schema gives no b
    useTools(null, [{ name: "a", description, schema: z.object({ a: z.string() }), execute: ({ b }) => `${b}` }])
  })

  it("and a list may be computed, or one of several, and never type a handler's arguments as never", () => {
    const isAdmin = Math.random() > 1
    const one = { name: "a", ...pageTool({ description, schema: z.object({ a: z.string() }), execute: ({ a }) => a }) }
    const other = { name: "b", ...pageTool({ description, parameters, execute: () => "" }) }
    useTools(null, isAdmin ? { one } : {})
    useTools(null, { ...(isAdmin && { one }), other })
    useTools(null, [...(isAdmin ? [one] : []), other])
    const either = isAdmin ? [one] : [other]
    useTools(null, either)
    useTools(null, [1, 2].map((n) => ({ name: `t${n}`, description, schema: z.object({ n: z.number() }), execute: ({ n: given }: { n: number }) => given })))
    const any: Record<string, AnyTool> = { own: { description, parameters, execute: (args) => expectTypeOf(args).toBeUnknown() && "" } }
    useTools(null, any)
  })

  it("refuses schema beside parse", () => {
    // @ts-expect-error two validations for one call
    useTools(null, { t: { description, schema: z.object({}), parse: (args: unknown) => args, execute: () => "ok" } })
    // @ts-expect-error it does not say what it takes
    useTools(null, { t: { description, execute: () => "ok" } })
  })
})

it("a function that is generic in its schema can declare a tool of it", () => {
  const declareOf = <S extends import("@standard-schema/spec").StandardSchemaV1>(schema: S, execute: (args: import("@standard-schema/spec").StandardSchemaV1.InferOutput<S>) => string) =>
    addTool("t", { description, schema, execute })
  declareOf(z.object({ a: z.string() }), ({ a }) => a)
})

it("a tool of a known schema type can be written as an annotation", () => {
  const schema = z.object({ a: z.string() })
  const tool: SchemaTool<typeof schema> = { description, schema, execute: ({ a }) => a }
  addTool("t", tool)
})

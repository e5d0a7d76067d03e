import type { LanguageModel, ModelMessage } from "ai"
import { describe, expectTypeOf, it } from "vitest"
import { z } from "zod"
import {
  type AgentMessage,
  type AgentModel,
  createActionClient,
  defineAction,
  defineProvider,
  defineService,
  defineTool,
  type Manifest,
  Services,
  type Tool,
  type ToolContext,
  toPageTools,
  toTool,
} from "../tools.ts"

declare const context: ToolContext
declare const manifest: Manifest

interface ApiSchema {
  version: string
  actions: {
    /** Adds. */
    demoAdd: { input: AddInput; output: { sum: number } }
    demoNow: { input: Record<string, never>; output: string }
  }
  entities: { "demo.note": { text: string } }
}
interface AddInput {
  a: number
  b?: number
}

describe("defineTool", () => {
  const tool = defineTool({
    id: "t",
    name: "T",
    input: z.object({ n: z.string().transform(Number), more: z.boolean().default(true) }),
    output: z.object({ at: z.string().transform((text) => new Date(text)) }),
    execute(input, { signal, items }) {
      expectTypeOf(input).toEqualTypeOf<{ n: number; more: boolean }>()
      expectTypeOf(signal).toEqualTypeOf<AbortSignal | undefined>()
      expectTypeOf(items?.list()).not.toBeAny()
      return { at: "now" }
    },
  })

  it("infers what execute takes, and what calling it takes and gives", () => {
    expectTypeOf(tool.execute).parameter(0).toEqualTypeOf<{ n: string; more?: boolean | undefined }>()
    expectTypeOf(tool.execute({ n: "1" }, context)).resolves.toEqualTypeOf<{ at: Date }>()
    expectTypeOf(tool).toExtend<Tool>()
  })

  it("refuses a result that is not the output's", () => {
    // @ts-expect-error -- a number is no { at: string }
    defineTool({ id: "t", name: "T", input: z.object({}), output: z.object({ at: z.string() }), execute: () => 1 })
  })
})

describe("an action", () => {
  const Db = defineService<{ find(id: string): number }>("db")
  const find = defineAction({
    id: "find",
    name: "Find",
    input: z.object({ id: z.string() }),
    output: z.number(),
    execute({ id }, { services }) {
      expectTypeOf(services.get(Db)).toEqualTypeOf<{ find(id: string): number }>()
      return services.get(Db).find(id)
    },
  })

  it("is typed from its schemas, and so is its tool", () => {
    expectTypeOf(toTool(find, new Services()).execute({ id: "a" }, context)).resolves.toEqualTypeOf<number>()
    defineProvider({ id: "p", name: "P", actions: [find] })
  })

  it("takes services that are what their keys say", () => {
    // @ts-expect-error -- a text is no database
    new Services().set(Db, "db")
  })
})

describe("createActionClient", () => {
  it("types names, inputs and outputs by the generated schema", () => {
    const tools = createActionClient<ApiSchema>({ baseUrl: "" }).toTools(manifest)
    expectTypeOf(tools).toHaveProperty("demoAdd")
    expectTypeOf(tools.demoAdd.execute).parameter(0).toEqualTypeOf<AddInput>()
    expectTypeOf(tools.demoAdd.execute({ a: 1 }, context)).resolves.toEqualTypeOf<{ sum: number }>()
    expectTypeOf(tools.demoNow.execute({}, context)).resolves.toEqualTypeOf<string>()
    // @ts-expect-error -- there is none
    void tools.demoFly
    // @ts-expect-error -- a is missing
    void tools.demoAdd.execute({}, context)
  })

  it("gives tools of unknown values without one", () => {
    const tools = createActionClient({ baseUrl: "" }).toTools(manifest)
    expectTypeOf(tools.anything).toEqualTypeOf<Tool | undefined>()
  })

  it("gives maps that every consumer takes", () => {
    expectTypeOf(createActionClient<ApiSchema>({ baseUrl: "" }).toTools(manifest)).toExtend<Readonly<Record<string, Tool>>>()
    expectTypeOf(toPageTools(createActionClient<ApiSchema>({ baseUrl: "" }).toTools(manifest))).toHaveProperty("demoAdd")
  })
})

describe("an agent's run", () => {
  it("takes every model and every message of the AI SDK", () => {
    expectTypeOf<LanguageModel>().toExtend<AgentModel>()
    expectTypeOf<ModelMessage>().toExtend<AgentMessage>()
    expectTypeOf<{ readonly modelId: string }>().not.toExtend<AgentModel>()
  })
})

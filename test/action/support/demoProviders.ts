import { type ActionContext, defineAction, defineProvider, defineService, ProviderRegistry, Services, ToolInterrupt } from "react-tool-client/tools"
import { z } from "zod"

/** What the demo actions did, so that a test can look from outside. */
export interface Seen {
  readonly calls: { readonly action: string; readonly input: unknown; readonly userId: string | undefined }[]
  /** Signals of the calls that wait. */
  readonly waiting: AbortSignal[]
  /** Called when a call of `demo.wait` begins. */
  onWaiting(): void
}

export const SeenService = defineService<Seen>("seen")

const note = (action: string, input: unknown, { services, userId }: ActionContext): void => {
  services.get(SeenService).calls.push({ action, input, userId })
}

export const add = defineAction({
  id: "add",
  name: "Add",
  description: "Adds two numbers.",
  input: z.object({ a: z.number(), b: z.number().default(10) }),
  output: z.object({ sum: z.number() }),
  execute(input, context) {
    note("add", input, context)
    return { sum: input.a + input.b }
  },
})

/** A transform on either side: what crosses the wire is the input of the one, and the output of the other. */
const shout = defineAction({
  id: "shout",
  name: "Shout",
  input: z.object({ text: z.string().transform((text) => text.length) }),
  output: z.object({ times: z.number() }),
  execute: ({ text }) => ({ times: text }),
})

const buy = defineAction({
  id: "buy",
  name: "Buy",
  input: z.object({ thing: z.string() }),
  output: z.object({ bought: z.string(), by: z.string() }),
  execute({ thing }, context) {
    note("buy", { thing }, context)
    const { resumption, items } = context
    if (!resumption) {
      items?.emit({ type: "question", thing })
      throw new ToolInterrupt(`Buy ${thing}?`, { data: { price: 3 }, state: { thing, step: 1 } })
    }
    const { state, answer } = z.object({ state: z.object({ thing: z.string(), step: z.number() }), answer: z.string() }).parse(resumption)
    return { bought: `${state.thing}#${state.step}`, by: answer }
  },
})

const remember = defineAction({
  id: "remember",
  name: "Remember",
  input: z.object({ text: z.string() }),
  output: z.object({ before: z.string().nullable(), count: z.number() }),
  execute({ text }, { items }) {
    const before = z.object({ text: z.string() }).optional().parse(items?.latest("note"))
    items?.emit({ type: "note", text })
    return { before: before?.text ?? null, count: items?.list().length ?? -1 }
  },
})

const fail = defineAction({
  id: "fail",
  name: "Fail",
  input: z.object({}),
  output: z.null(),
  execute(_input, { items }) {
    items?.emit({ type: "note", text: "about to fail" })
    throw new Error("the disk is full", { cause: new Error("ENOSPC") })
  },
})

const lie = defineAction({
  id: "lie",
  name: "Lie",
  input: z.object({}),
  output: z.object({ list: z.array(z.object({ n: z.number() })) }),
  execute: () => ({ list: [{ n: 1 }, { n: "two" as unknown as number }] }),
})

const wait = defineAction({
  id: "wait",
  name: "Wait",
  input: z.object({}),
  output: z.null(),
  execute: (_input, { signal, services }) =>
    new Promise<null>((_resolve, reject) => {
      if (!signal) throw new Error("no signal came")
      signal.addEventListener("abort", () => reject(signal.reason as Error))
      const seen = services.get(SeenService)
      seen.waiting.push(signal)
      seen.onWaiting()
    }),
})

const echo = defineAction({
  id: "echo",
  name: "Echo",
  input: z.object({ value: z.unknown() }),
  output: z.unknown(),
  execute: ({ value }) => value,
})

/** Says what JSON says otherwise, or not at all. */
const give = defineAction({
  id: "give",
  name: "Give",
  input: z.object({ what: z.string() }),
  output: z.unknown(),
  execute({ what }) {
    const when = new Date(0)
    if (what === "date") return { when, gone: undefined, list: [undefined, when] }
    if (what === "map") return { list: [1, new Map()] }
    throw new ToolInterrupt("When?", what === "question" ? { data: { when }, state: { when, gone: undefined } } : { state: { count: 1n } })
  },
})

export const demo = defineProvider({
  id: "demo",
  name: "Demo",
  description: "What tests call.",
  actions: [add, shout, buy, remember, fail, lie, wait, echo, give],
  entities: [{ id: "note", name: "Note", schema: z.object({ text: z.string() }) }],
  events: [{ id: "bought", name: "Bought", description: "Something was bought.", schema: z.object({ thing: z.string() }) }],
})

export function createDemo(): { readonly registry: ProviderRegistry; readonly services: Services; readonly seen: Seen } {
  const seen: Seen = { calls: [], waiting: [], onWaiting: () => {} }
  const services = new Services().set(SeenService, seen)
  return { registry: new ProviderRegistry({ providers: [demo], services }), services, seen }
}

import { z } from "zod"
// By their paths: the dev server, which serves these too, knows no aliases, and nothing is built yet that `#createWorker` could lead to.
import { defineAction, defineProvider } from "../../../src/action/provider.ts"
import { ProviderRegistry } from "../../../src/action/providerRegistry.ts"
import { ToolInterrupt } from "../../../src/action/toolInterrupt.ts"

interface Train {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly departs: string
  /** In euros. */
  readonly price: number
}

const CITIES = ["Vienna", "Rome", "Zurich"] as const

const TRAINS: readonly Train[] = [
  { id: "nj-40", from: "Vienna", to: "Rome", departs: "19:18", price: 89 },
  { id: "rj-533", from: "Vienna", to: "Rome", departs: "06:25", price: 74 },
  { id: "rjx-160", from: "Vienna", to: "Zurich", departs: "07:30", price: 69 },
  { id: "ec-35", from: "Zurich", to: "Rome", departs: "09:33", price: 62 },
]

const TrainShape = z.object({ id: z.string(), from: z.string(), to: z.string(), departs: z.string(), price: z.number() })

const search = defineAction({
  id: "search",
  name: "Search trains",
  description: "The trains from one city to another.",
  input: z.object({ from: z.enum(CITIES).default("Vienna"), to: z.enum(CITIES).default("Rome") }),
  output: z.object({ trains: z.array(TrainShape) }),
  execute: ({ from, to }) => ({ trains: TRAINS.filter((train) => train.from === from && train.to === to) }),
})

/** What a person is asked before a seat is bought. */
const Answer = z.object({ passenger: z.string().min(1).describe("Whose name stands on the ticket"), agree: z.boolean().default(true) })

const book = defineAction({
  id: "book",
  name: "Book a train",
  description: "Books seats. It stops to ask in whose name, and goes on with the answer.",
  input: z.object({ train: z.enum(TRAINS.map(({ id }) => id)), seats: z.int().min(1).max(4).default(1) }),
  output: z.object({ booked: z.boolean(), passenger: z.string(), price: z.number() }),
  execute({ train, seats }, { resumption, items }) {
    if (!resumption) {
      const price = seats * (TRAINS.find(({ id }) => id === train)?.price ?? 0)
      items?.emit({ type: "offer", train, seats, price })
      throw new ToolInterrupt(`Book ${seats === 1 ? "a seat" : `${seats} seats`} on ${train} for €${price}?`, {
        data: { answer: z.toJSONSchema(Answer, { io: "input" }) },
        state: { price },
      })
    }
    // What comes back was with the caller in the meantime: it is read as any input.
    const { price } = z.object({ price: z.number() }).parse(resumption.state)
    const { passenger, agree } = Answer.parse(resumption.answer)
    if (agree) items?.emit({ type: "ticket", train, seats, passenger })
    return { booked: agree, passenger, price: agree ? price : 0 }
  },
})

const remember = defineAction({
  id: "remember",
  name: "Remember",
  description: "Keeps a note in the conversation's items, and tells the one before it.",
  input: z.object({ text: z.string().min(1).max(200) }),
  output: z.object({ before: z.string().nullable() }),
  execute({ text }, { items }) {
    const before = items?.latest("note")?.["text"]
    items?.emit({ type: "note", text })
    return { before: typeof before === "string" ? before : null }
  },
})

const divide = defineAction({
  id: "divide",
  name: "Divide",
  description: "Divides two numbers; by 0 it fails.",
  input: z.object({ dividend: z.number(), divisor: z.number() }),
  output: z.object({ quotient: z.number() }),
  execute({ dividend, divisor }) {
    if (divisor === 0) throw new RangeError("There is no division by 0.")
    return { quotient: dividend / divisor }
  },
})

/** Milliseconds. */
const SECOND_MS = 1000

const wait = defineAction({
  id: "wait",
  name: "Wait",
  description: "Takes its time, and stops when the caller gives up.",
  input: z.object({ seconds: z.int().min(1).max(60).default(10) }),
  output: z.object({ waited: z.number() }),
  execute: ({ seconds }, { signal }) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve({ waited: seconds }), seconds * SECOND_MS)
      signal?.addEventListener("abort", () => {
        clearTimeout(timer)
        reject(signal.reason as Error)
      })
    }),
})

/** The same actions wherever it is called: in the dev server, behind its host, and in the page itself. */
export const createRegistry = (): ProviderRegistry =>
  new ProviderRegistry({
    providers: [
      defineProvider({
        id: "trains",
        name: "Trains",
        description: "Night trains and others.",
        actions: [search, book],
        entities: [{ id: "train", name: "Train", schema: TrainShape }],
        events: [{ id: "booked", name: "Booked", schema: z.object({ train: z.string(), seats: z.number() }) }],
      }),
      defineProvider({ id: "desk", name: "Desk", description: "Small things for every day.", actions: [remember, divide, wait] }),
    ],
  })

import type { Turn } from "./turn.ts"

/** What is said next, and what is called after it. */
export interface Reply {
  readonly text: string
  readonly calls?: readonly { readonly tool: string; readonly input: unknown }[]
}

type Script = (turn: Turn, words: RegExpExecArray) => Reply

const COUNTS: Readonly<Record<string, number>> = { a: 1, an: 1, one: 1, two: 2, three: 3, four: 4, five: 5 }

const ADDRESS = { street: "Lindengasse 4", postcode: "1070", city: "Vienna" }

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const listed = (items: readonly string[]): string =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items[items.length - 1] ?? ""}`

/** Calls a tool, or says that the page does not offer it right now. */
function call(turn: Turn, text: string, tool: string, ...inputs: readonly unknown[]): Reply {
  const name = turn.nameOf(tool)
  if (name === undefined) return { text: `The page does not offer ${tool} right now. It offers ${listed(turn.offered)}.` }
  return { text, calls: inputs.map((input) => ({ tool: name, input })) }
}

/** What a refusal becomes; undefined where all went well. */
function failure({ done }: Turn): Reply | undefined {
  const failed = done.find(({ isError }) => isError)
  return failed && { text: `That did not work. ${failed.tool} says: ${failed.text}` }
}

/** One call, and its answer in words. */
const ask = (turn: Turn, before: string, tool: string, input: unknown, after: (answer: string) => string): Reply =>
  turn.done[0] ? (failure(turn) ?? { text: after(turn.done[0].text) }) : call(turn, before, tool, input)

const productOf = (turn: Turn, words: string): string | undefined => {
  const wanted = words.toLowerCase().replace(/s$/, "")
  return turn.choicesOf("add_to_cart", "product").find((id) => wanted.includes(id.replace(/s$/, "")) || id.split("-").every((word) => wanted.includes(word)))
}

const addToCart: Script = (turn, [, count = "a", what = ""]) => {
  const product = productOf(turn, what)
  if (product === undefined) return { text: `The shop has no ${what}. It has ${listed(turn.choicesOf("add_to_cart", "product"))}.` }
  const quantity = COUNTS[count.toLowerCase()] ?? Number(count)
  return ask(turn, "I look after it.", "add_to_cart", { product, quantity }, () => `Done: ${quantity} × ${product} in the cart.`)
}

const addTodos: Script = (turn, [, what = ""]) => {
  const titles = what.split(/,\s*(?:and\s+)?|\s+and\s+/).map((title) => capitalised(title.trim().replace(/^["'“]|["'”]$/g, ""))).filter(Boolean)
  if (turn.done.length > 0) return failure(turn) ?? { text: `${listed(titles)} ${titles.length === 1 ? "is" : "are"} on your list now.` }
  return call(turn, titles.length === 1 ? "I put it on your list." : "I put them on your list.", "add_todo", ...titles.map((title) => ({ title })))
}

interface Cart {
  readonly lines: readonly { readonly productId: string; readonly quantity: number }[]
  readonly total: string
}

const cartOf = (text: string): string => {
  const { lines, total } = JSON.parse(text) as Cart
  if (lines.length === 0) return "Your cart is empty."
  return `There ${lines.length === 1 ? "is" : "are"} ${listed(lines.map(({ productId, quantity }) => `${quantity} × ${productId}`))} in your cart, ${total} together.`
}

/** Reads the cart, fills it where it is empty, and orders: `checkout` is offered only from the step on in which there is something to buy. */
const checkOut: Script = (turn) => {
  const problem = failure(turn)
  if (problem) return problem
  const last = turn.done.at(-1)
  if (!last) return call(turn, "First I look what is in your cart.", "read_cart", {})
  if (last.tool === "checkout") return { text: last.text }
  if (last.tool === "read_cart" && (JSON.parse(last.text) as Cart).lines.length === 0) {
    return call(turn, "It is empty, so I put a mug in.", "add_to_cart", { product: "mug" })
  }
  return call(turn, "Now I order. The page asks you first.", "checkout", { deliver_to: ADDRESS })
}

interface Todo {
  readonly title: string
  readonly isDone: boolean
}

const todosOf = (text: string): string => {
  const open = (JSON.parse(text) as Todo[]).filter(({ isDone }) => !isDone).map(({ title }) => title)
  return open.length === 0 ? "Nothing is left to do." : `${open.length} to do: ${listed(open)}.`
}

interface Prices {
  readonly quotes: readonly { readonly supplier: string; readonly price: string }[]
}

const pricesOf = (text: string): string =>
  `${listed((JSON.parse(text) as Prices).quotes.map(({ supplier, price }) => `${supplier} takes ${price}`))}.`

const comparePrices: Script = (turn, [, what = ""]) => {
  const product = productOf(turn, what)
  if (product === undefined) return { text: `The shop has no ${what}.` }
  return ask(turn, "I ask the suppliers, which takes a moment.", "compare_prices", { product }, pricesOf)
}

/** `add_todo {"title": "Milk"}`: for every other tool. */
const callByName: Script = (turn, [, tool = "", json = "{}"]) => {
  try {
    return ask(turn, `I call ${tool}.`, tool, JSON.parse(json), (answer) => answer)
  } catch (error) {
    return { text: `Those arguments are no JSON: ${(error as Error).message}` }
  }
}

const SCRIPTS: readonly (readonly [RegExp, Script])[] = [
  [/^(\w+)\s*(\{[\s\S]*\})$/, callByName],
  [/(?:add|put) (\d+|a|an|one|two|three|four|five)? ?(.+?) (?:to|in|into) (?:my |the )?cart/i, addToCart],
  [/(?:add|put) (.+?) (?:to|on) (?:my |the )?(?:to-?do )?(?:list|to-?dos)/i, addTodos],
  [/check ?out|order/i, checkOut],
  [/(?:what|show|read).*cart/i, (turn) => ask(turn, "I have a look.", "read_cart", {}, cartOf)],
  [/(?:what|show|list|read).*(?:to-?do|list)/i, (turn) => ask(turn, "I have a look.", "list_todos", {}, todosOf)],
  [/(?:compare|prices?)(?: the)?(?: prices?)?(?: of| for)? (?:a |an |the )?(.+?)[.?!]?$/i, comparePrices],
]

const help = ({ offered }: Turn): Reply => ({
  text: `I am a script, not a model: I know the sentences beside this field, and calls such as add_todo {"title": "Milk"}. The page offers ${listed(offered)}.`,
})

/** Pure: what the script says to a conversation, one step at a time. */
export function replyTo(turn: Turn): Reply {
  for (const [pattern, script] of SCRIPTS) {
    const words = pattern.exec(turn.said)
    if (words) return script(turn, words)
  }
  return help(turn)
}

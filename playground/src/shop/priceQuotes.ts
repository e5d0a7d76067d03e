import { productOf } from "./products.ts"

export const SUPPLIERS = ["Nordwind", "Hafenkontor", "Alma & Co", "Bergbahn", "Lumen"] as const

export type Supplier = (typeof SUPPLIERS)[number]

export interface Quote {
  readonly supplier: Supplier
  /** In cents. */
  readonly price: number
}

/** How long a supplier takes to answer, in milliseconds. */
const SUPPLIER_DELAY_MS = 900

/** Suppliers differ by so much, in cents a letter of their name. */
const SPREAD = 25

/** Rejects with the signal's reason when it aborts. */
function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop)
      resolve()
    }, ms)
    signal.addEventListener("abort", stop, { once: true })
  })
}

/** Asks one supplier what it takes for a product. Stands for a slow service. */
export async function fetchQuote(productId: string, supplier: Supplier, signal: AbortSignal): Promise<Quote> {
  const { price } = productOf(productId)
  await delay(SUPPLIER_DELAY_MS, signal)
  return { supplier, price: Math.max(100, price + SPREAD * (supplier.length - 7)) }
}

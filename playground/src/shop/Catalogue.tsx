import { type ActionDispatch, useState } from "react"
import { type ToolClient, useTool } from "react-tool-client"
import { z } from "zod"
import { Icon } from "../ui/Icon.tsx"
import { type Cart, type CartAction, MAX_QUANTITY, quantityOf } from "./cart.ts"
import { fetchQuote, type Quote, SUPPLIERS } from "./priceQuotes.ts"
import { ProductTile } from "./ProductTile.tsx"
import { CATEGORIES, findProducts, formatPrice, PRODUCT_IDS, type ProductFilter, productOf } from "./products.ts"
import { QuoteList } from "./QuoteList.tsx"
import styles from "./shop.module.css"

const EVERYTHING: ProductFilter = { query: "", category: null }

export interface CatalogueProps {
  readonly client: ToolClient
  readonly cart: Cart
  readonly dispatch: ActionDispatch<[CartAction]>
}

export function Catalogue({ client, cart, dispatch }: CatalogueProps) {
  const [filter, setFilter] = useState(EVERYTHING)
  const [quotes, setQuotes] = useState<{ readonly productId: string; readonly quotes: readonly Quote[] } | null>(null)

  useTool(client, "search_products", {
    title: "Search the shop",
    description: "Show the products that match, and tell what they are.",
    schema: z.object({
      query: z.string().max(60).default("").describe("A part of the name; empty for all"),
      category: z.enum(CATEGORIES).optional(),
    }),
    execute({ query, category = null }) {
      setFilter({ query, category })
      return findProducts({ query, category }).map((product) => ({ ...product, price: formatPrice(product.price) }))
    },
  })

  useTool(client, "add_to_cart", {
    title: "Add to the cart",
    description: "Put a product into the shop's cart.",
    schema: z.object({
      product: z.enum(PRODUCT_IDS),
      quantity: z.int().min(1).max(MAX_QUANTITY).default(1),
    }),
    execute({ product, quantity }) {
      dispatch({ type: "added", productId: product, quantity })
      return `${quantity} × ${productOf(product).name} added. The cart can be read with read_cart.`
    },
  })

  useTool(client, "compare_prices", {
    title: "Compare prices",
    description: `Ask suppliers for their price of a product, one after the other, about a second each.`,
    schema: z.object({
      product: z.enum(PRODUCT_IDS),
      suppliers: z.array(z.enum(SUPPLIERS)).optional().describe("All when left out"),
    }),
    // One at a time: a second call stays acked until the first is answered.
    concurrency: "serial",
    async execute({ product, suppliers = SUPPLIERS }, call) {
      const found: Quote[] = []
      for (const supplier of suppliers) {
        call.progress(found.length, suppliers.length, `Asking ${supplier}`)
        found.push(await fetchQuote(product, supplier, call.signal))
        setQuotes({ productId: product, quotes: [...found] })
      }
      return { product, quotes: found.map(({ supplier, price }) => ({ supplier, price: formatPrice(price) })) }
    },
  })

  const shown = findProducts(filter)
  return (
    <section aria-label="Catalogue">
      <div className={styles.filter} role="search">
        <input
          type="search"
          aria-label="Search products"
          placeholder="Search products"
          value={filter.query}
          onChange={(event) => setFilter({ ...filter, query: event.target.value })}
        />
        <div className="segments" role="group" aria-label="Category">
          {[null, ...CATEGORIES].map((category) => (
            <button key={category} type="button" aria-pressed={filter.category === category} onClick={() => setFilter({ ...filter, category })}>
              {category ?? "all"}
            </button>
          ))}
        </div>
      </div>
      <ul className={styles.products} aria-label="Products">
        {shown.map((product) => (
          <ProductTile
            key={product.id}
            product={product}
            inCart={quantityOf(cart, product.id)}
            onAdd={() => dispatch({ type: "added", productId: product.id, quantity: 1 })}
          />
        ))}
      </ul>
      {shown.length === 0 && (
        <p className="empty">
          Nothing matches.{" "}
          <button type="button" className="quiet" onClick={() => setFilter(EVERYTHING)}>
            Show all
          </button>
        </p>
      )}
      {quotes && (
        <div className={styles.quotes}>
          <QuoteList product={productOf(quotes.productId)} quotes={quotes.quotes} />
          <button type="button" className="icon-button" aria-label="Close the prices" onClick={() => setQuotes(null)}>
            <Icon name="close" />
          </button>
        </div>
      )}
    </section>
  )
}

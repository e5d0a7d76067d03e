import type { Quote } from "./priceQuotes.ts"
import { formatPrice, type Product } from "./products.ts"
import styles from "./shop.module.css"

export interface QuoteListProps {
  readonly product: Product
  readonly quotes: readonly Quote[]
}

/** What suppliers take for one product, the cheapest marked. */
export function QuoteList({ product, quotes }: QuoteListProps) {
  const best = Math.min(...quotes.map(({ price }) => price))
  return (
    <div className={styles.quoteList}>
      <h3>{product.name} elsewhere</h3>
      <ul aria-label={`Prices of ${product.name}`}>
        {quotes.map(({ supplier, price }) => (
          <li key={supplier} data-best={price === best}>
            <span>{supplier}</span>
            <span>{formatPrice(price)}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

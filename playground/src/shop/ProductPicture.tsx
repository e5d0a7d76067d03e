import type { Product } from "./products.ts"
import styles from "./shop.module.css"

/** Lines on a field of 24 by 24. */
const PATHS: Readonly<Record<string, string>> = {
  notebook: "M7 3h11v18H7zM7 3v18M4.5 7H8M4.5 12H8M4.5 17H8M11 8h4M11 12h4",
  "fountain-pen": "M14 4l6 6-8.5 8.5L4 20l1.5-7.5zM4 20l6-6M14 4l-8.5 8.5",
  "desk-lamp": "M6 20h10M11 20l-3.5-8L14 7M12 4l6 6c-1.5 2-4 2-5.5.5S10.5 6 12 4z",
  mug: "M5 7h11v9a4 4 0 0 1-4 4H9a4 4 0 0 1-4-4zM16 9h2a2.5 2.5 0 0 1 0 5.5h-2M9 2.5v2M12 2.5v2",
  "coffee-maker": "M8 3h8l-2.5 8 3 10h-9l3-10zM10.5 11h3M16 5h2.5v5",
  "plant-pot": "M6 13h12l-1.5 8h-9zM12 13V7M12 9c0-3 2-5 5-5 0 3-2 5-5 5zM12 11c0-2.5-1.8-4-4.5-4 0 2.5 1.8 4 4.5 4z",
  "watering-can": "M8 10h9v10H8zM8 14L3.5 8M2.5 9.5l2.5-3M8.5 10c0-4 7-6 8 0M17 12c3 0 3 5 0 5",
  seeds: "M7 3h10v18H7zM7 6.5h10M12 17v-5M12 13c0-2 1.2-3 3-3 0 2-1.2 3-3 3zM12 14.5c0-1.7-1-2.6-2.6-2.6 0 1.7 1 2.6 2.6 2.6z",
}

export function ProductPicture({ product }: { readonly product: Product }) {
  return (
    <span className={styles.picture} data-category={product.category} aria-hidden="true">
      <svg viewBox="0 0 24 24">
        <path d={PATHS[product.id]} />
      </svg>
    </span>
  )
}

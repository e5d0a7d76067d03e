import { formatPrice, type Product } from "./products.ts"
import { ProductPicture } from "./ProductPicture.tsx"
import styles from "./shop.module.css"

export interface ProductTileProps {
  readonly product: Product
  readonly inCart: number
  onAdd(this: void): void
}

export function ProductTile({ product, inCart, onAdd }: ProductTileProps) {
  return (
    <li className={styles.product}>
      <ProductPicture product={product} />
      <div className={styles.productText}>
        <span className={styles.productName}>{product.name}</span>
        <span className={styles.price}>{formatPrice(product.price)}</span>
      </div>
      <button type="button" className="small" aria-label={`Add ${product.name} to the cart`} onClick={onAdd}>
        {inCart === 0 ? "Add" : `Add · ${inCart}`}
      </button>
    </li>
  )
}

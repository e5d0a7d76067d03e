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
        <span className={styles.price}>
          {formatPrice(product.price)}
          {inCart > 0 && ` · ${inCart} in the cart`}
        </span>
      </div>
      <button type="button" className="small" onClick={onAdd}>
        Add<span className="visually-hidden"> {product.name} to the cart</span>
      </button>
    </li>
  )
}

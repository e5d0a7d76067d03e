import { formatPrice } from "./products.ts"
import styles from "./shop.module.css"

export interface Order {
  readonly items: number
  /** In cents. */
  readonly total: number
  readonly deliverTo: string
}

export interface OrderPlacedProps {
  readonly order: Order
  onClose(this: void): void
}

export function OrderPlaced({ order, onClose }: OrderPlacedProps) {
  return (
    <section className={styles.cart} aria-label="Order">
      <h3>Thank you</h3>
      <p role="status">
        {order.items} {order.items === 1 ? "item" : "items"} for {formatPrice(order.total)} on the way to {order.deliverTo}.
      </p>
      <button type="button" className="quiet" onClick={onClose}>
        Shop on
      </button>
    </section>
  )
}

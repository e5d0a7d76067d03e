import type { ActionDispatch } from "react"
import { Icon } from "../ui/Icon.tsx"
import { type Cart, type CartAction, MAX_QUANTITY } from "./cart.ts"
import { formatPrice, productOf } from "./products.ts"
import styles from "./shop.module.css"

export interface CartLinesProps {
  readonly cart: Cart
  readonly dispatch: ActionDispatch<[CartAction]>
}

export function CartLines({ cart, dispatch }: CartLinesProps) {
  return (
    <ul className={styles.lines} aria-label="In the cart">
      {cart.map(({ productId, quantity }) => {
        const { name, price } = productOf(productId)
        const set = (next: number): void => dispatch({ type: "set", productId, quantity: next })
        return (
          <li key={productId}>
            <span className={styles.lineName}>{name}</span>
            <span className={styles.quantity}>
              <button type="button" className="icon-button" aria-label={`One ${name} less`} onClick={() => set(quantity - 1)}>
                <Icon name="minus" />
              </button>
              <output aria-label={`Quantity of ${name}`}>{quantity}</output>
              <button
                type="button"
                className="icon-button"
                aria-label={`One ${name} more`}
                disabled={quantity >= MAX_QUANTITY}
                onClick={() => set(quantity + 1)}
              >
                <Icon name="plus" />
              </button>
            </span>
            <span className={styles.price}>{formatPrice(price * quantity)}</span>
          </li>
        )
      })}
    </ul>
  )
}

import { type ActionDispatch, useState } from "react"
import { type ToolApproval, type ToolClient, useTool } from "react-tool-client"
import { z } from "zod"
import { type Cart, type CartAction, itemsOf, MAX_QUANTITY, totalOf } from "./cart.ts"
import { CartLines } from "./CartLines.tsx"
import type { Order } from "./OrderPlaced.tsx"
import { formatPrice, productOf } from "./products.ts"
import styles from "./shop.module.css"

const Address = z.object({
  street: z.string().trim().min(1),
  postcode: z.string().trim().min(4).max(10),
  city: z.string().trim().min(1),
})

type Address = z.infer<typeof Address>

const NO_ADDRESS: Address = { street: "", postcode: "", city: "" }

export interface CartPanelProps {
  readonly client: ToolClient
  readonly ask: ToolApproval["ask"]
  readonly cart: Cart
  readonly dispatch: ActionDispatch<[CartAction]>
  onOrder(this: void, order: Order): void
}

/** The cart, and the way to an order. */
export function CartPanel({ client, ask, cart, dispatch, onOrder }: CartPanelProps) {
  const [address, setAddress] = useState(NO_ADDRESS)
  const total = totalOf(cart)
  const isEmpty = cart.length === 0
  const place = ({ street, postcode, city }: Address): void =>
    onOrder({ items: itemsOf(cart), total, deliverTo: `${street}, ${postcode} ${city}` })

  useTool(client, "set_quantity", {
    title: "Set a quantity",
    description: "Set how many of a product are in the cart; 0 takes it out.",
    schema: z.object({
      product: z.enum(cart.map(({ productId }) => productId)),
      quantity: z.int().min(0).max(MAX_QUANTITY),
    }),
    enabled: !isEmpty,
    execute({ product, quantity }) {
      dispatch({ type: "set", productId: product, quantity })
      return `${productOf(product).name}: ${quantity}.`
    },
  })

  useTool(client, "checkout", {
    title: "Check out",
    description: "Order what is in the cart. The person is asked first and may refuse.",
    schema: z.object({
      deliver_to: Address.describe("Where the parcel goes"),
      gift_wrap: z.boolean().default(false),
    }),
    enabled: !isEmpty,
    annotations: { destructiveHint: true, openWorldHint: true },
    async execute({ deliver_to, gift_wrap }, call) {
      setAddress(deliver_to)
      const { street, postcode, city } = deliver_to
      const lines = cart.map(({ productId, quantity }) => `${quantity} × ${productOf(productId).name}`)
      const message = [
        `Order ${itemsOf(cart) === 1 ? "one item" : `${itemsOf(cart)} items`} for ${formatPrice(total)}?`,
        [...lines, ...(gift_wrap ? ["wrapped as a gift"] : [])].join("\n"),
        `To ${street}, ${postcode} ${city}`,
      ].join("\n\n")
      if (!(await ask(call, { message }))) return "Nothing was ordered: the person did not agree."
      place(deliver_to)
      return `Ordered for ${formatPrice(total)}. The parcel goes to ${city}.`
    },
  })

  return (
    <section className={styles.cart} aria-label="Cart">
      <h3>Cart</h3>
      {isEmpty ? <p className="empty">Nothing in the cart yet.</p> : <CartLines cart={cart} dispatch={dispatch} />}
      {!isEmpty && (
        <form
          className={styles.checkout}
          onSubmit={(event) => {
            event.preventDefault()
            place(address)
          }}
        >
          <label className="field">
            <span>Street</span>
            <input
              required
              autoComplete="street-address"
              value={address.street}
              onChange={(event) => setAddress({ ...address, street: event.target.value })}
            />
          </label>
          <div className={styles.place}>
            <label className="field">
              <span>Postcode</span>
              <input
                required
                minLength={4}
                maxLength={10}
                autoComplete="postal-code"
                value={address.postcode}
                onChange={(event) => setAddress({ ...address, postcode: event.target.value })}
              />
            </label>
            <label className="field">
              <span>City</span>
              <input
                required
                autoComplete="address-level2"
                value={address.city}
                onChange={(event) => setAddress({ ...address, city: event.target.value })}
              />
            </label>
          </div>
          <button type="submit">Order for {formatPrice(total)}</button>
        </form>
      )}
    </section>
  )
}

import { useReducer, useState } from "react"
import { type ToolApproval, type ToolClient, useToolContext } from "react-tool-client"
import { Card } from "../ui/Card.tsx"
import { ToolChips } from "../ui/ToolChips.tsx"
import { CartPanel } from "./CartPanel.tsx"
import { Catalogue } from "./Catalogue.tsx"
import { cartReducer, itemsOf, totalOf } from "./cart.ts"
import { type Order, OrderPlaced } from "./OrderPlaced.tsx"
import { formatPrice } from "./products.ts"
import styles from "./shop.module.css"

const TOOLS = ["search_products", "compare_prices", "add_to_cart", "read_cart", "set_quantity", "checkout"]

/** A catalogue and a cart. What works on the cart's content is offered while there is some. */
export function ShopCard({ client, ask }: { readonly client: ToolClient; readonly ask: ToolApproval["ask"] }) {
  const [cart, dispatch] = useReducer(cartReducer, [])
  const [order, setOrder] = useState<Order | null>(null)

  useToolContext(client, "read_cart", {
    title: "Read the cart",
    description: "What is in the shop's cart, and its total.",
    read: () => ({ lines: cart, total: formatPrice(totalOf(cart)) }),
  })

  const items = itemsOf(cart)
  return (
    <Card
      title="Shop"
      aside={items === 0 ? "Cart empty" : `${items} in the cart`}
      footer={<ToolChips client={client} names={TOOLS} />}
    >
      <div className={styles.shop}>
        <Catalogue client={client} cart={cart} dispatch={dispatch} />
        {order && cart.length === 0 ? (
          <OrderPlaced order={order} onClose={() => setOrder(null)} />
        ) : (
          <CartPanel
            client={client}
            ask={ask}
            cart={cart}
            dispatch={dispatch}
            onOrder={(placed) => {
              setOrder(placed)
              dispatch({ type: "emptied" })
            }}
          />
        )}
      </div>
    </Card>
  )
}

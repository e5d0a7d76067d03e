import { productOf } from "./products.ts"

export const MAX_QUANTITY = 20

export interface CartLine {
  readonly productId: string
  readonly quantity: number
}

export type Cart = readonly CartLine[]

export type CartAction =
  | { readonly type: "added"; readonly productId: string; readonly quantity: number }
  | { readonly type: "set"; readonly productId: string; readonly quantity: number }
  | { readonly type: "emptied" }

/** A quantity of 0 takes the product out; none grows beyond `MAX_QUANTITY`. */
function withQuantity(cart: Cart, productId: string, quantity: number): Cart {
  const line = { productId, quantity: Math.min(quantity, MAX_QUANTITY) }
  if (quantity <= 0) return cart.filter((other) => other.productId !== productId)
  if (!cart.some((other) => other.productId === productId)) return [...cart, line]
  return cart.map((other) => (other.productId === productId ? line : other))
}

export const quantityOf = (cart: Cart, productId: string): number =>
  cart.find((line) => line.productId === productId)?.quantity ?? 0

export function cartReducer(cart: Cart, action: CartAction): Cart {
  switch (action.type) {
    case "added":
      return withQuantity(cart, action.productId, quantityOf(cart, action.productId) + action.quantity)
    case "set":
      return withQuantity(cart, action.productId, action.quantity)
    case "emptied":
      return []
    default:
      return action satisfies never
  }
}

/** In cents. */
export const totalOf = (cart: Cart): number =>
  cart.reduce((sum, { productId, quantity }) => sum + productOf(productId).price * quantity, 0)

export const itemsOf = (cart: Cart): number => cart.reduce((sum, { quantity }) => sum + quantity, 0)

export const CATEGORIES = ["desk", "kitchen", "garden"] as const

export type Category = (typeof CATEGORIES)[number]

export interface Product {
  readonly id: string
  readonly name: string
  readonly category: Category
  /** In cents. */
  readonly price: number
}

export const PRODUCTS: readonly Product[] = [
  { id: "notebook", name: "Dotted notebook", category: "desk", price: 1400 },
  { id: "fountain-pen", name: "Fountain pen", category: "desk", price: 3900 },
  { id: "desk-lamp", name: "Desk lamp", category: "desk", price: 8900 },
  { id: "mug", name: "Stoneware mug", category: "kitchen", price: 1800 },
  { id: "coffee-maker", name: "Coffee maker", category: "kitchen", price: 4200 },
  { id: "plant-pot", name: "Terracotta pot", category: "garden", price: 1200 },
  { id: "watering-can", name: "Watering can", category: "garden", price: 2600 },
  { id: "seeds", name: "Wildflower seeds", category: "garden", price: 450 },
]

export const PRODUCT_IDS = PRODUCTS.map(({ id }) => id)

/** @throws RangeError for an id that no product has */
export function productOf(id: string): Product {
  const product = PRODUCTS.find((candidate) => candidate.id === id)
  if (!product) throw new RangeError(`There is no product "${id}".`)
  return product
}

export interface ProductFilter {
  readonly query: string
  readonly category: Category | null
}

export const findProducts = ({ query, category }: ProductFilter): readonly Product[] =>
  PRODUCTS.filter(
    (product) =>
      (category === null || product.category === category) && product.name.toLowerCase().includes(query.trim().toLowerCase()),
  )

const euro = new Intl.NumberFormat("en-IE", { style: "currency", currency: "EUR" })

/** Cents as people write them: `€14.00`. */
export const formatPrice = (cents: number): string => euro.format(cents / 100)

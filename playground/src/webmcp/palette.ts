export interface Swatch {
  readonly name: string
  /** `#rrggbb` */
  readonly hex: string
}

export const FIRST_PALETTE: readonly Swatch[] = [
  { name: "ink", hex: "#1d1f23" },
  { name: "moss", hex: "#4f7a4a" },
  { name: "clay", hex: "#c2703d" },
  { name: "sky", hex: "#7fa7d9" },
]

export const MAX_SWATCHES = 12

export type PaletteAction =
  | { readonly type: "mixed"; readonly swatch: Swatch }
  | { readonly type: "removed"; readonly name: string }

export function paletteReducer(palette: readonly Swatch[], action: PaletteAction): readonly Swatch[] {
  switch (action.type) {
    case "mixed": {
      const { swatch } = action
      if (!palette.some(({ name }) => name === swatch.name)) return [...palette, swatch].slice(0, MAX_SWATCHES)
      return palette.map((one) => (one.name === swatch.name ? swatch : one))
    }
    case "removed":
      return palette.filter(({ name }) => name !== action.name)
    default:
      return action satisfies never
  }
}

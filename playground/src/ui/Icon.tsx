/** Lines on a field of 16 by 16. */
const PATHS = {
  back: "M9.5 3.5 5 8l4.5 4.5",
  check: "m3.5 8.5 3 3 6-7",
  close: "m4.5 4.5 7 7m0-7-7 7",
  copy: "M6 6h7.5v7.5H6zM10 6V2.5H2.5V10H6",
  external: "M9.5 3h3.5v3.5M13 3 7.5 8.5M11 9.5V13H3V5h3.5",
  minus: "M4 8h8",
  plus: "M4 8h8M8 4v8",
} as const

/** A picture beside a text or a label that says the same. */
export function Icon({ name }: { readonly name: keyof typeof PATHS }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}

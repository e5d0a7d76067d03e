import type { JSX } from "react"

/** Drawn in a square of 16. */
const PATHS = {
  close: "M4 4l8 8M12 4l-8 8",
  bottom: "M2.5 3.5h11v9h-11zM2.5 9.5h11",
  right: "M2.5 3.5h11v9h-11zM9.5 3.5v9",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3L14 14",
  clear: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM3.8 3.8l8.4 8.4",
  light: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1",
  dark: "M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z",
  system: "M2 3h12v8H2zM6 14h4M8 11v3",
  tool: "M10.5 2.2a3.8 3.8 0 0 0-4.6 5L2 11.1 4.9 14l3.9-3.9a3.8 3.8 0 0 0 5-4.6L11.5 7.7 8.9 7.1 8.3 4.5z",
  back: "M10 3L5 8l5 5",
  follow: "M8 2.5v9M4 8l4 4 4-4M3 14.5h10",
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinecap="round" strokeLinejoin="round" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}

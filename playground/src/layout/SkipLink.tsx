import type { ReactNode } from "react"

export interface SkipLinkProps {
  /** The id of what gets the focus. */
  readonly to: string
  readonly className?: string | undefined
  readonly children: ReactNode
}

/** A link within the page, which leaves the address alone: that one says which page it is. */
export function SkipLink({ to, className, children }: SkipLinkProps) {
  return (
    <a
      className={className}
      href={`#${to}`}
      onClick={(event) => {
        event.preventDefault()
        const target = document.getElementById(to)
        target?.focus({ preventScroll: true })
        target?.scrollIntoView()
      }}
    >
      {children}
    </a>
  )
}

import type { ReactNode } from "react"
import { flushSync } from "react-dom"

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
        // On a narrow screen only one half of the page is in sight.
        flushSync(() => document.querySelector<HTMLElement>(`[aria-controls="${to}"]`)?.click())
        const target = document.getElementById(to)
        target?.focus({ preventScroll: true })
        target?.scrollIntoView()
      }}
    >
      {children}
    </a>
  )
}

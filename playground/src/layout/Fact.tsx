import type { ReactNode } from "react"

export interface FactProps {
  readonly label: string
  readonly className?: string | undefined
  readonly testId?: string | undefined
  readonly children: ReactNode
}

/** One thing that a page's head tells. */
export function Fact({ label, className, testId, children }: FactProps) {
  return (
    <div>
      <dt>{label}</dt>
      <dd className={className} data-testid={testId}>
        {children}
      </dd>
    </div>
  )
}

import { useEffect, useState } from "react"
import { Icon } from "./Icon.tsx"

export interface CopyButtonProps {
  /** The button's name: `Copy the session id`. */
  readonly label: string
  readonly text: string
  /** Shows the icon alone. @default false */
  readonly isBare?: boolean
}

/** How long it says that it did, in milliseconds. */
const COPIED_MS = 2000

export function CopyButton({ label, text, isBare = false }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<"copied" | "failed" | null>(null)
  useEffect(() => {
    if (outcome === null) return
    const timer = setTimeout(() => setOutcome(null), COPIED_MS)
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = (): void =>
    void navigator.clipboard.writeText(text).then(
      () => setOutcome("copied"),
      () => setOutcome("failed"),
    )
  return (
    <>
      <button type="button" className={isBare ? "icon-button" : "quiet"} title={isBare ? label : undefined} onClick={copy}>
        <Icon name={outcome === "copied" ? "check" : "copy"} />
        <span className={isBare ? "visually-hidden" : undefined}>{label}</span>
      </button>
      <span role="status" className="visually-hidden">
        {outcome === "copied" && "Copied"}
        {outcome === "failed" && "The browser did not let the page copy"}
      </span>
    </>
  )
}

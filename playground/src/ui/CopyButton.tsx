import { useEffect, useState } from "react"
import { Icon } from "./Icon.tsx"

export interface CopyButtonProps {
  /** What the button copies, for its name: `Copy the session id`. */
  readonly what: string
  readonly text: string
  /** @default the icon alone */
  readonly label?: string
}

/** How long it says that it did, in milliseconds. */
const COPIED_MS = 2000

export function CopyButton({ what, text, label }: CopyButtonProps) {
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
      <button type="button" className={label === undefined ? "icon-button" : "quiet"} aria-label={`Copy ${what}`} title={`Copy ${what}`} onClick={copy}>
        <Icon name={outcome === "copied" ? "check" : "copy"} /> {label}
      </button>
      <span role="status" className="visually-hidden">
        {outcome === "copied" && "Copied"}
        {outcome === "failed" && "The browser did not let the page copy"}
      </span>
    </>
  )
}

import { type JSX, useEffect, useState } from "react"

export interface CopyButtonProps {
  readonly label: string
  text(): string
}

/** How long it says that it has copied, in milliseconds. */
const COPIED_MS = 1_500

type Outcome = "idle" | "copied" | "failed"

export function CopyButton({ label, text }: CopyButtonProps): JSX.Element {
  const [outcome, setOutcome] = useState<Outcome>("idle")
  useEffect(() => {
    if (outcome === "idle") return undefined
    const timer = setTimeout(() => setOutcome("idle"), COPIED_MS)
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text())
      setOutcome("copied")
    } catch {
      // Not a secure page, or the person said no.
      setOutcome("failed")
    }
  }
  return (
    <button type="button" className="button" onClick={() => void copy()}>
      <span aria-live="polite">{outcome === "idle" ? label : outcome === "copied" ? "Copied" : "The browser refused"}</span>
    </button>
  )
}

import type { JSX, KeyboardEvent, RefObject } from "react"
import { Icon } from "./Icon.tsx"

export interface SearchFieldProps {
  readonly label: string
  readonly value: string
  onChange(value: string): void
  readonly inputRef?: RefObject<HTMLInputElement | null>
}

export function SearchField({ label, value, onChange, inputRef }: SearchFieldProps): JSX.Element {
  function onKeyDown(event: KeyboardEvent): void {
    // Escape empties the field first, and closes what is around it only then.
    if (event.key !== "Escape" || value === "") return
    event.preventDefault()
    event.stopPropagation()
    onChange("")
  }
  return (
    <label className="search">
      <Icon name="search" />
      <input
        ref={inputRef}
        type="search"
        value={value}
        placeholder={label}
        aria-label={label}
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
      />
    </label>
  )
}

import { type JSX, useState } from "react"

export interface JsonTreeProps {
  readonly value: unknown
  /** The property's name, or the item's place; the root has none, and does not fold. */
  readonly name?: string
  /** Levels that are open at first. @default 2 */
  readonly depth?: number
}

/** Members that are drawn at first; more come when asked for. */
const MEMBERS_SHOWN = 100

/** Characters of a text that are drawn at first. */
const TEXT_SHOWN = 500

const entriesOf = (value: object): (readonly [string, unknown])[] =>
  Array.isArray(value) ? (value as unknown[]).map((item, index) => [String(index), item] as const) : Object.entries(value)

/** What a folded object holds, in a few words. */
function preview(value: object): string {
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `[${value.length}]`
  const keys = Object.keys(value)
  return keys.length === 0 ? "{}" : `{ ${keys.slice(0, 4).join(", ")}${keys.length > 4 ? ", …" : ""} }`
}

function Leaf({ value }: { readonly value: unknown }): JSX.Element {
  const [isWhole, setWhole] = useState(false)
  if (typeof value !== "string") return <span className={`json-${value === null ? "null" : typeof value}`}>{String(value)}</span>
  const isLong = value.length > TEXT_SHOWN && !isWhole
  return (
    <span className="json-string">
      {JSON.stringify(isLong ? value.slice(0, TEXT_SHOWN) : value)}
      {isLong && (
        <button type="button" className="link" onClick={() => setWhole(true)}>
          {`… ${value.length - TEXT_SHOWN} more`}
        </button>
      )}
    </span>
  )
}

/** A JSON value that folds and unfolds; deep levels are drawn when they are opened. */
export function JsonTree({ value, name, depth = 2 }: JsonTreeProps): JSX.Element {
  const [isOpen, setOpen] = useState(depth > 0)
  const [shown, setShown] = useState(MEMBERS_SHOWN)
  const label = name !== undefined && <span className="json-key">{name}</span>
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) {
    return (
      <div className="json-leaf">
        {label}
        {typeof value === "object" && value !== null ? <span className="json-null">{preview(value)}</span> : <Leaf value={value} />}
      </div>
    )
  }
  const entries = entriesOf(value)
  const members = (
    <>
      {entries.slice(0, shown).map(([key, member]) => (
        <JsonTree key={key} name={key} value={member} depth={depth - 1} />
      ))}
      {entries.length > shown && (
        <button type="button" className="link" onClick={() => setShown(shown + MEMBERS_SHOWN)}>
          {`${entries.length - shown} more`}
        </button>
      )}
    </>
  )
  if (name === undefined) return <div className="json">{members}</div>
  return (
    <details className="json" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {label}
        <span className="json-preview">{isOpen ? (Array.isArray(value) ? `[${entries.length}]` : "") : preview(value)}</span>
      </summary>
      {isOpen && <div className="json-members">{members}</div>}
    </details>
  )
}

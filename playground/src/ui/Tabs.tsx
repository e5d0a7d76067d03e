import { Activity, type ReactNode, useId } from "react"

export interface TabsProps<Id extends string> {
  readonly label: string
  readonly tabs: readonly { readonly id: Id; readonly title: string; readonly content: ReactNode }[]
  readonly picked: Id
  onPick(this: void, id: Id): void
}

/** How far an arrow key goes. */
const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 }

/** One of a few panels is shown; the others are kept as they were. */
export function Tabs<Id extends string>({ label, tabs, picked, onPick }: TabsProps<Id>) {
  const base = useId()
  return (
    <>
      <div
        className="segments"
        role="tablist"
        aria-label={label}
        onKeyDown={(event) => {
          const step = STEPS[event.key]
          const next = step === undefined ? undefined : tabs[(tabs.findIndex(({ id }) => id === picked) + step + tabs.length) % tabs.length]
          if (!next) return
          onPick(next.id)
          document.getElementById(`${base}-${next.id}`)?.focus()
        }}
      >
        {tabs.map(({ id, title }) => (
          <button
            key={id}
            id={`${base}-${id}`}
            type="button"
            role="tab"
            aria-selected={id === picked}
            aria-controls={`${base}-${id}-panel`}
            tabIndex={id === picked ? 0 : -1}
            onClick={() => onPick(id)}
          >
            {title}
          </button>
        ))}
      </div>
      {tabs.map(({ id, content }) => (
        <div key={id} id={`${base}-${id}-panel`} role="tabpanel" aria-labelledby={`${base}-${id}`} hidden={id !== picked}>
          <Activity mode={id === picked ? "visible" : "hidden"}>{content}</Activity>
        </div>
      ))}
    </>
  )
}

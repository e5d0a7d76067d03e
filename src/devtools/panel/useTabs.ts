import { type KeyboardEvent, useId, useState } from "react"

export interface Tabs<Name extends string> {
  readonly current: Name
  select(name: Name): void
  tabProps(name: Name): object
  panelProps(): object
}

/** The keyboard of a tab list (WAI-ARIA, "Tabs"): one stop of Tab, arrows move and select. */
export function useTabs<Name extends string>(names: readonly Name[], initial: Name): Tabs<Name> {
  const [current, select] = useState(initial)
  const id = useId()

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1, Home: -names.indexOf(current), End: names.length - 1 - names.indexOf(current) }
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = names[(names.indexOf(current) + step + names.length) % names.length]
    if (next === undefined) return
    select(next)
    event.currentTarget.parentElement?.querySelector<HTMLElement>(`[data-tab="${next}"]`)?.focus()
  }

  return {
    current,
    select,
    tabProps: (name) => ({
      type: "button",
      role: "tab",
      id: `${id}${name}`,
      "data-tab": name,
      "aria-selected": name === current,
      "aria-controls": `${id}panel`,
      tabIndex: name === current ? 0 : -1,
      onClick: () => select(name),
      onKeyDown,
    }),
    panelProps: () => ({ role: "tabpanel", id: `${id}panel`, "aria-labelledby": `${id}${current}` }),
  }
}

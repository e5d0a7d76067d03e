import { type ReactNode, useId, useState } from "react"
import layout from "./layout.module.css"

export interface ColumnsProps {
  /** What the page offers. */
  readonly main: ReactNode
  readonly mainLabel: string
  /** Its button, where only one of the two is in sight. */
  readonly mainTitle: string
  /** Who uses it. */
  readonly aside: ReactNode
  readonly asideId: string
  readonly asideLabel: string
  readonly asideTitle: string
}

/** A page's two halves: beside each other, and on a narrow screen one or the other, so that neither is far down. Both stay mounted. */
export function Columns({ main, mainLabel, mainTitle, aside, asideId, asideLabel, asideTitle }: ColumnsProps) {
  const [view, setView] = useState<"main" | "aside">("main")
  const mainId = useId()
  return (
    <div className={layout.columns} data-view={view}>
      <nav className={layout.views} aria-label="Halves of the page">
        <div className="segments" role="group" aria-label="In sight">
          <button type="button" aria-pressed={view === "main"} aria-controls={mainId} onClick={() => setView("main")}>
            {mainTitle}
          </button>
          <button type="button" aria-pressed={view === "aside"} aria-controls={asideId} onClick={() => setView("aside")}>
            {asideTitle}
          </button>
        </div>
      </nav>
      <main id={mainId} className={layout.main} aria-label={mainLabel}>
        {main}
      </main>
      <aside id={asideId} className={layout.aside} aria-label={asideLabel} tabIndex={-1}>
        {aside}
      </aside>
    </div>
  )
}

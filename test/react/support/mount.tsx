import { type ReactNode, StrictMode, useEffect } from "react"
import { createRoot } from "react-dom/client"
import { afterEach } from "vitest"

/** Renders without `act`, which would hide the order in which React commits and runs effects. */
export interface Mounted {
  readonly container: HTMLElement
  /** Resolves when this render is committed and its effects have run. */
  render(ui: ReactNode): Promise<void>
  unmount(): void
}

export interface MountOptions {
  readonly strict?: boolean
}

/** Every test of a behaviour that StrictMode could break runs in both. */
export const MODES = [
  { mode: "", strict: false },
  { mode: " in StrictMode", strict: true },
]

/** The last sibling: its effect runs after all others of its commit. */
function Committed({ onCommit }: { readonly onCommit: () => void }) {
  useEffect(onCommit)
  return null
}

const cleanups = new Set<() => void>()

/** What a test has mounted, where something must be gone before its own clean-up; else it happens by itself. */
export function unmountAll(): void {
  for (const cleanup of [...cleanups]) cleanup()
}
afterEach(unmountAll)

export async function mount(ui: ReactNode, { strict = false }: MountOptions = {}): Promise<Mounted> {
  const container = document.body.appendChild(document.createElement("div"))
  const root = createRoot(container)
  const unmount = (): void => {
    if (!cleanups.delete(unmount)) return
    root.unmount()
    container.remove()
  }
  cleanups.add(unmount)
  const mounted: Mounted = {
    container,
    render: (next) =>
      new Promise((resolve) => {
        const tree = (
          <>
            {next}
            <Committed onCommit={resolve} />
          </>
        )
        root.render(strict ? <StrictMode>{tree}</StrictMode> : tree)
      }),
    unmount,
  }
  await mounted.render(ui)
  return mounted
}

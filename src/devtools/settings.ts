/** What a person has set, kept over reloads. */
export interface Settings {
  readonly isOpen: boolean
  readonly side: "bottom" | "right"
  /** The docked panel's height at the bottom, or its width at the right, in pixels. */
  readonly height: number
  readonly width: number
  readonly theme: "system" | "light" | "dark"
}

const STORAGE_KEY = "react-tool-client-devtools"

const FIRST: Settings = { isOpen: false, side: "bottom", height: 360, width: 560, theme: "system" }

/** What was kept, over what the application asks for. A page without storage begins anew each time. */
export function readSettings(initial: Partial<Settings>): Settings {
  try {
    const kept = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "{}") as Partial<Settings>
    return { ...FIRST, ...initial, ...kept }
  } catch {
    return { ...FIRST, ...initial }
  }
}

export function keepSettings(settings: Settings): void {
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(settings))
  } catch {
    // Full, or forbidden: it is only a convenience.
  }
}

import { type JSX, type KeyboardEvent, lazy, type PointerEvent, Suspense, useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react"
import { createPortal } from "react-dom"
import type { Session } from "../toolClient/session.ts"
import { Icon } from "./panel/Icon.tsx"
import { recorderOf } from "./recorder/recorder.ts"
import { keepSettings, readSettings, type Settings } from "./settings.ts"
import { SHELL_CSS } from "./shellCss.ts"

export interface ToolDevtoolsProps {
  /** From `useSession`, or a hub's client; nothing is recorded while it is `null`. */
  readonly session: Session | null | undefined
  /**
   * Fills the element around it, instead of a button in the page's corner that opens a docked panel.
   * @default false
   */
  readonly inline?: boolean | undefined
  /**
   * Whether the docked panel is open at first. What a person has set is kept in `localStorage` and goes before it, as for the next two.
   * @default false
   */
  readonly initialIsOpen?: boolean | undefined
  /** @default "bottom" */
  readonly initialSide?: "bottom" | "right" | undefined
  /** @default "system", which follows the person's */
  readonly theme?: "system" | "light" | "dark" | undefined
  /** @default "right" */
  readonly buttonSide?: "left" | "right" | undefined
  /** For a Content-Security-Policy: the nonce that its `style-src` allows. */
  readonly nonce?: string | undefined
}

/** Loaded when the panel is first shown. */
const Panel = lazy(() => import("./panel/Panel.tsx"))

/** Pixels that an arrow key moves the docked panel's edge. */
const RESIZE_STEP_PX = 24

/** The least height and width that a person can make it. */
const LEAST_PX = 160

const NEVER = (): (() => void) => () => {}

function useSystemDark(): boolean {
  const subscribe = useCallback((listener: () => void) => {
    const query = matchMedia("(prefers-color-scheme: dark)")
    query.addEventListener("change", listener)
    return () => query.removeEventListener("change", listener)
  }, [])
  const canAsk = typeof matchMedia === "function"
  return useSyncExternalStore(canAsk ? subscribe : NEVER, () => canAsk && matchMedia("(prefers-color-scheme: dark)").matches, () => false)
}

/** Renders nothing on a server. Its styles and the page's do not meet: it lives in a shadow root. */
export function DevtoolsShell(props: ToolDevtoolsProps): JSX.Element {
  const { session, inline = false } = props
  const [root, setRoot] = useState<ShadowRoot | null>(null)
  const attach = useCallback((host: HTMLDivElement | null) => {
    // Strict Mode attaches twice.
    if (host) setRoot(host.shadowRoot ?? host.attachShadow({ mode: "open" }))
  }, [])
  useEffect(() => (session ? recorderOf(session).start() : undefined), [session])
  return (
    <div ref={attach} data-react-tool-client-devtools="" style={inline ? { height: "100%" } : undefined}>
      {root && createPortal(<Shell {...props} />, root)}
    </div>
  )
}

function Shell({ session, inline = false, initialIsOpen, initialSide, theme, buttonSide = "right", nonce }: ToolDevtoolsProps): JSX.Element {
  const [settings, setSettings] = useState<Settings>(() =>
    readSettings({
      ...(initialIsOpen !== undefined && { isOpen: initialIsOpen }),
      ...(initialSide !== undefined && { side: initialSide }),
      ...(theme !== undefined && { theme }),
    }),
  )
  const [wasOpened, setOpened] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const isSystemDark = useSystemDark()
  const isDark = settings.theme === "dark" || (settings.theme === "system" && isSystemDark)

  function change(next: Partial<Settings>): void {
    const all = { ...settings, ...next }
    setSettings(all)
    keepSettings(all)
  }

  function open(): void {
    setOpened(true)
    change({ isOpen: true })
  }

  function close(): void {
    change({ isOpen: false })
    requestAnimationFrame(() => opener.current?.focus())
  }

  const panel = session ? (
    <Suspense fallback={<p className="wait">The panel is on its way…</p>}>
      <Panel
        session={session}
        recorder={recorderOf(session)}
        settings={settings}
        nonce={nonce}
        takesFocus={wasOpened}
        onSettings={change}
        onClose={inline ? undefined : close}
      />
    </Suspense>
  ) : (
    <p className="wait">There is no session yet.</p>
  )

  return (
    <div className={`shell${isDark ? " dark" : ""}`} style={inline ? { height: "100%" } : undefined}>
      <style nonce={nonce}>{SHELL_CSS}</style>
      {inline ? (
        <div className="inline">{panel}</div>
      ) : settings.isOpen ? (
        <Dock settings={settings} onSettings={change}>
          {panel}
        </Dock>
      ) : (
        <button ref={opener} type="button" className={`opener ${buttonSide}`} aria-label="Open the tool panel" onClick={open}>
          <Icon name="tool" />
          <Light session={session} /> <span className="word">Tool panel</span>
        </button>
      )}
    </div>
  )
}

/** The session's status, and how many calls are in flight, on the button. */
function Light({ session }: { readonly session: Session | null | undefined }): JSX.Element {
  const status = useSyncExternalStore(session ? session.subscribe : NEVER, () => session?.state.status ?? "connecting", () => "connecting")
  const recorder = session ? recorderOf(session) : undefined
  const inFlight = (): number => recorder?.state.calls.filter(({ record }) => record.settledAt === undefined).length ?? 0
  const count = useSyncExternalStore(recorder ? recorder.subscribe : NEVER, inFlight, inFlight)
  return (
    <>
      <span className={`light ${status}`} />
      {count > 0 && <span className="flight">{count}</span>}
    </>
  )
}

interface DockProps {
  readonly settings: Settings
  onSettings(change: Partial<Settings>): void
  readonly children: JSX.Element
}

function Dock({ settings: { side, height, width }, onSettings, children }: DockProps): JSX.Element {
  const isBottom = side === "bottom"
  const size = isBottom ? height : width
  const resize = (next: number): void => {
    const pixels = Math.max(LEAST_PX, Math.round(next))
    onSettings(isBottom ? { height: pixels } : { width: pixels })
  }
  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowUp: 1, ArrowLeft: 1, ArrowDown: -1, ArrowRight: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    resize(size + step * RESIZE_STEP_PX)
  }
  function onPointerMove(event: PointerEvent<HTMLElement>): void {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return
    resize(isBottom ? window.innerHeight - event.clientY : window.innerWidth - event.clientX)
  }
  return (
    <aside className={`dock ${side}`} aria-label="Tool panel" style={isBottom ? { height } : { width }}>
      <div
        className="handle"
        role="separator"
        tabIndex={0}
        aria-label="Size of the panel"
        aria-orientation={isBottom ? "horizontal" : "vertical"}
        aria-valuenow={size}
        aria-valuemin={LEAST_PX}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={onPointerMove}
      />
      {children}
    </aside>
  )
}

import { type JSX, type KeyboardEvent, useEffect, useRef, useState } from "react"
import type { Session } from "../../toolClient/session.ts"
import type { Recorder } from "../recorder/recorder.ts"
import type { Settings } from "../settings.ts"
import { isInFlight } from "./callSpans.ts"
import { CallsView } from "./CallsView.tsx"
import { ConnectionView } from "./ConnectionView.tsx"
import { Icon } from "./Icon.tsx"
import { PANEL_CSS } from "./panelCss.ts"
import { RequestsView } from "./RequestsView.tsx"
import { type ToolChoice, ToolsView } from "./ToolsView.tsx"
import { useHistory } from "./useHistory.ts"
import { useTabs } from "./useTabs.ts"

export interface PanelProps {
  readonly session: Session
  readonly recorder: Recorder
  readonly settings: Settings
  readonly nonce: string | undefined
  /** A person has just opened it, so the keyboard goes on in it. */
  readonly takesFocus: boolean
  onSettings(change: Partial<Settings>): void
  /** Missing where the panel is part of a page. */
  readonly onClose?: (() => void) | undefined
}

const TABS = ["calls", "tools", "requests", "connection"] as const

const THEMES = { system: "light", light: "dark", dark: "system" } as const

const focusTab = (root: HTMLElement | null): void => root?.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')?.focus()

/** The panel's content; where it stands is its parent's. */
export default function Panel({ session, recorder, settings, nonce, takesFocus, onSettings, onClose }: PanelProps): JSX.Element {
  const history = useHistory(recorder)
  const tabs = useTabs(TABS, "calls")
  const [call, setCall] = useState<string>()
  const [tool, setTool] = useState<ToolChoice>()
  const root = useRef<HTMLDivElement>(null)
  const search = useRef<HTMLInputElement>(null)
  const { state } = session
  const problems = history.clients.reduce((sum, { state: { status }, tools }) => sum + (status === "failed" ? 1 : tools.filter((one) => one.status === "refused").length), 0)
  const running = history.calls.filter(isInFlight).length

  useEffect(() => {
    if (takesFocus) focusTab(root.current)
  }, [takesFocus])

  function onKeyDown(event: KeyboardEvent): void {
    const { target } = event
    const isTyping = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
    if (event.key === "/" && !isTyping) {
      event.preventDefault()
      tabs.select("calls")
      // It may have to be drawn first.
      requestAnimationFrame(() => search.current?.focus())
    } else if (event.key === "Escape" && !event.defaultPrevented) {
      if (tabs.current === "calls" && call !== undefined) setCall(undefined)
      else if (tabs.current === "tools" && tool !== undefined) setTool(undefined)
      else onClose?.()
    }
  }

  function showCall(callId: string): void {
    setCall(callId)
    tabs.select("calls")
  }

  const counts = {
    calls: history.calls.length,
    tools: history.clients.reduce((sum, client) => sum + client.tools.length, 0),
    requests: history.requests.length,
    connection: history.statuses.filter(({ client }) => client === undefined).length,
  }

  return (
    <div ref={root} className="panel" onKeyDown={onKeyDown}>
      <style nonce={nonce}>{PANEL_CSS}</style>
      <header className="head">
        <span className="brand">
          <Icon name="tool" />
          <span title={`Session ${state.id}`}>{state.id}</span>
        </span>
        <div role="tablist" aria-label="Parts of the panel" className="tabs">
          {TABS.map((name) => (
            <button key={name} className="tab" {...tabs.tabProps(name)}>
              {name} <span className="count">{counts[name]}</span>
              {name === "tools" && problems > 0 && (
                <>
                  {" "}
                  <span className="problem-count" title="Tools that no agent can call, because something is wrong">
                    {`${problems} ${problems === 1 ? "problem" : "problems"}`}
                  </span>
                </>
              )}
            </button>
          ))}
        </div>
        <span className="spacer" />
        {running > 0 && <span className="running-count">{`${running} in flight`}</span>}
        {state.isRunning && <span className="agent">agent at work</span>}
        <span className={`status ${state.status}`} title={state.error?.message}>
          {state.status}
        </span>
        <button
          type="button"
          className="icon-button"
          aria-label={`Colours: ${settings.theme}`}
          title={`Colours: ${settings.theme}`}
          onClick={() => onSettings({ theme: THEMES[settings.theme] })}
        >
          <Icon name={settings.theme} />
        </button>
        {onClose && (
          <>
            <button
              type="button"
              className="icon-button side-button"
              aria-label={settings.side === "bottom" ? "Dock at the right" : "Dock at the bottom"}
              title={settings.side === "bottom" ? "Dock at the right" : "Dock at the bottom"}
              onClick={() => onSettings({ side: settings.side === "bottom" ? "right" : "bottom" })}
            >
              <Icon name={settings.side === "bottom" ? "right" : "bottom"} />
            </button>
            <button type="button" className="icon-button" aria-label="Close the panel" title="Close the panel (Escape)" onClick={onClose}>
              <Icon name="close" />
            </button>
          </>
        )}
      </header>
      <div className="content" {...tabs.panelProps()}>
        {tabs.current === "calls" && (
          <CallsView
            recorder={recorder}
            calls={history.calls}
            clients={history.clients}
            searchRef={search}
            selected={call}
            onSelect={setCall}
            onCallByHand={() => {
              tabs.select("tools")
              // What was pressed goes: the keyboard goes on at the tab.
              requestAnimationFrame(() => focusTab(root.current))
            }}
            onCallAgain={(trace) => {
              setTool({ client: trace.client, tool: trace.tool, initial: trace.record.arguments, form: trace.callId })
              tabs.select("tools")
            }}
          />
        )}
        {tabs.current === "tools" && (
          <ToolsView recorder={recorder} clients={history.clients} calls={history.calls} chosen={tool} onChoose={setTool} onShowCall={showCall} />
        )}
        {tabs.current === "requests" && <RequestsView requests={history.requests} />}
        {tabs.current === "connection" && <ConnectionView session={session} recorder={recorder} statuses={history.statuses} />}
      </div>
    </div>
  )
}

import { type JSX, type Ref, type RefObject, useDeferredValue, useMemo, useState } from "react"
import type { CallTrace, ClientView } from "../recorder/history.ts"
import type { Recorder } from "../recorder/recorder.ts"
import { CallDetail } from "./CallDetail.tsx"
import { type CallFilter, countOutcomes, filterCalls, type OutcomeFilter } from "./callFilter.ts"
import { CallRow } from "./CallRow.tsx"
import { endOf } from "./callSpans.ts"
import { formatDuration } from "./formatTime.ts"
import { Icon } from "./Icon.tsx"
import { SearchField } from "./SearchField.tsx"
import { STAGE_NAMES, StageMark } from "./StageMark.tsx"
import { createTimeScale, type TimeScale } from "./timeScale.ts"
import { useNow } from "./useHistory.ts"
import { useWidth } from "./useWidth.ts"
import { VirtualList } from "./VirtualList.tsx"

export interface CallsViewProps {
  readonly recorder: Recorder
  readonly calls: readonly CallTrace[]
  readonly clients: readonly ClientView[]
  readonly searchRef: RefObject<HTMLInputElement | null>
  readonly selected: string | undefined
  onSelect(callId: string | undefined): void
  onCallAgain(trace: CallTrace): void
  /** Shows the tools, which can be called by hand. */
  onCallByHand(): void
}

const ROW_HEIGHT = 28

/** The time line's width until it is measured. */
const LINE_PX = 500

const OUTCOMES: readonly (readonly [OutcomeFilter, string])[] = [
  ["all", "All"],
  ["in_flight", "In flight"],
  ["answered", "Answered"],
  ["error", "Errors"],
  ["failed", "Failed"],
  ["cancelled", "Cancelled"],
]

const keyOf = (trace: CallTrace): string => trace.callId

/** The time line of calls, oldest first, with what is known of the selected one beside it. */
export function CallsView(props: CallsViewProps): JSX.Element {
  const { recorder, calls, clients, searchRef, selected, onSelect, onCallAgain, onCallByHand } = props
  const [filter, setFilter] = useState<CallFilter>({ text: "", outcome: "all" })
  const [isFollowing, setFollowing] = useState(true)
  const deferred = useDeferredValue(filter)
  const shown = useMemo(() => filterCalls(calls, deferred), [calls, deferred])
  const counts = useMemo(() => countOutcomes(calls), [calls])
  const trace = selected === undefined ? undefined : calls.find(({ callId }) => callId === selected)
  const [width, lineRef] = useWidth(LINE_PX)
  const now = useNow(recorder, counts.in_flight > 0)
  const offered = clients.reduce((sum, { tools }) => sum + tools.filter(({ status }) => status === "live").length, 0)
  const hasClients = clients.length > 1

  return (
    <div className={`split${trace ? " has-detail" : ""}`}>
      <div className="main">
        <div className="toolbar">
          <SearchField label="Search calls" value={filter.text} onChange={(text) => setFilter({ ...filter, text })} inputRef={searchRef} />
          <div className="chips" role="group" aria-label="Which calls">
            {OUTCOMES.map(([outcome, label]) => (
              <button key={outcome} type="button" className={`chip ${outcome}`} aria-pressed={filter.outcome === outcome} onClick={() => setFilter({ ...filter, outcome })}>
                {label} <span className="count">{counts[outcome]}</span>
              </button>
            ))}
          </div>
          <span className="spacer" />
          <button type="button" className="icon-button" aria-pressed={isFollowing} aria-label="Keep the newest in sight" title="Keep the newest in sight" onClick={() => setFollowing(!isFollowing)}>
            <Icon name="follow" />
          </button>
          <button type="button" className="icon-button" aria-label="Clear what is settled" title="Clear what is settled" onClick={recorder.clear}>
            <Icon name="clear" />
          </button>
        </div>
        <VirtualList
          label="Calls, oldest first"
          items={shown}
          keyOf={keyOf}
          rowHeight={ROW_HEIGHT}
          selected={selected}
          onSelect={onSelect}
          isFollowing={isFollowing}
          onFollow={setFollowing}
          frame={(inSight) => createTimeScale(inSight.map((each) => [each.record.receivedAt, endOf(each, now)]), width)}
          head={(scale) => <Axis scale={scale} lineRef={lineRef} />}
          row={(each, scale) => <CallRow trace={each} scale={scale} now={now} hasClients={hasClients} />}
          empty={
            calls.length > 0 ? (
              <p>No call is like that.</p>
            ) : (
              <>
                <p>No agent has called yet.</p>
                <p className="dim">{offered === 0 ? "No tool is offered, either." : `${offered} ${offered === 1 ? "tool is" : "tools are"} offered.`}</p>
                {offered > 0 && (
                  <button type="button" className="button" onClick={onCallByHand}>
                    Call one by hand
                  </button>
                )}
              </>
            )
          }
        />
        <Legend />
      </div>
      {trace && <CallDetail key={trace.callId} trace={trace} now={now} onClose={() => onSelect(undefined)} onCallAgain={() => onCallAgain(trace)} />}
    </div>
  )
}

const BARS = ["dispatched", "acked", "running", "asking", "answering"] as const

const ENDS = ["answered", "refused", "error", "timed_out", "failed", "cancelled"] as const

/** What the bars' colours are, and the signs at the end of a call's way. */
function Legend(): JSX.Element {
  return (
    <p className="legend" aria-hidden="true">
      {BARS.map((stage) => (
        <span key={stage}>
          <i className={`swatch ${stage}`} />
          {STAGE_NAMES[stage]}
        </span>
      ))}
      {ENDS.map((stage) => (
        <span key={stage}>
          <StageMark stage={stage} isNamed />
          {STAGE_NAMES[stage]}
        </span>
      ))}
    </p>
  )
}

/** What stands above the time line: the columns, the time of day, and what has passed since. */
function Axis({ scale, lineRef }: { readonly scale: TimeScale; readonly lineRef: Ref<HTMLElement> }): JSX.Element {
  return (
    <div className="call axis" aria-hidden="true">
      <span />
      <span className="call-name">Tool</span>
      <span className="call-args">Arguments</span>
      <span className="call-time">Took</span>
      <span ref={lineRef} className="call-line">
        {scale.breaks.map(({ at, width, ms }) => (
          <span key={at} className="break" title={`${formatDuration(ms)} without a call`} style={{ left: `${at * 100}%`, width: `${width * 100}%` }} />
        ))}
        {scale.ticks.map(({ at, label, isStart }) => (
          <span key={at} className={`tick${isStart ? " tick-start" : ""}`} style={{ left: `${at * 100}%` }}>
            {label}
          </span>
        ))}
      </span>
    </div>
  )
}

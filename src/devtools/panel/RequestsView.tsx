import { type JSX, useMemo, useState } from "react"
import type { RequestTrace, RequestType } from "../recorder/history.ts"
import { formatClock, formatDuration } from "./formatTime.ts"
import { Icon } from "./Icon.tsx"
import { JsonTree } from "./JsonTree.tsx"
import { VirtualList } from "./VirtualList.tsx"

export interface RequestsViewProps {
  readonly requests: readonly RequestTrace[]
}

const ROW_HEIGHT = 28

const TYPES: readonly RequestType[] = ["register", "update", "ping", "ack", "progress", "answer", "delete"]

const OUTCOME_SIGNS = { pending: "…", taken: "✓", failed: "✕" } as const

const keyOf = (request: RequestTrace): string => String(request.key)

/** Everything that was sent, and why. */
export function RequestsView({ requests }: RequestsViewProps): JSX.Element {
  const [hidden, setHidden] = useState<ReadonlySet<RequestType>>(new Set())
  const [selected, setSelected] = useState<string>()
  const [isFollowing, setFollowing] = useState(true)
  const shown = useMemo(() => (hidden.size === 0 ? requests : requests.filter(({ type }) => !hidden.has(type))), [requests, hidden])
  const counts = useMemo(() => {
    const all = new Map<RequestType, number>()
    for (const { type } of requests) all.set(type, (all.get(type) ?? 0) + 1)
    return all
  }, [requests])
  const request = requests.find((each) => keyOf(each) === selected)

  function toggle(type: RequestType): void {
    const next = new Set(hidden)
    if (!next.delete(type)) next.add(type)
    setHidden(next)
  }

  return (
    <div className={`split${request ? " has-detail" : ""}`}>
      <div className="main">
        <div className="toolbar">
          <div className="chips" role="group" aria-label="Which requests">
            {TYPES.map((type) => (
              <button key={type} type="button" className="chip" aria-pressed={!hidden.has(type)} onClick={() => toggle(type)}>
                {type} <span className="count">{counts.get(type) ?? 0}</span>
              </button>
            ))}
          </div>
        </div>
        <VirtualList
          label="Requests, oldest first"
          items={shown}
          keyOf={keyOf}
          rowHeight={ROW_HEIGHT}
          selected={selected}
          onSelect={setSelected}
          isFollowing={isFollowing}
          onFollow={setFollowing}
          empty={requests.length === 0 ? "Nothing was sent since the panel is there." : "Every type of request is hidden."}
          row={(each) => (
            <div className="request">
              <span className={`mark ${each.outcome}`} role="img" aria-label={each.outcome}>
                {OUTCOME_SIGNS[each.outcome]}
              </span>
              <span className="dim mono">{formatClock(each.sentAt)}</span>
              <span className={`type ${each.type}`}>{each.type}</span>
              <span className="request-client">{each.client}</span>
              <span className="request-why">{each.error === undefined ? each.why : `${each.why} — ${each.error}`}</span>
              <span className="call-time">{each.endedAt === undefined ? "" : formatDuration(each.endedAt - each.sentAt)}</span>
            </div>
          )}
        />
      </div>
      {request && (
        <section className="detail" aria-label={`Request ${request.type}`}>
          <header className="detail-head">
            <button type="button" className="icon-button" onClick={() => setSelected(undefined)} aria-label="Close the request">
              <Icon name="close" />
            </button>
            <h3>{request.type}</h3>
            <span className="stage">{request.outcome}</span>
          </header>
          <div className="detail-body" tabIndex={0} role="group" aria-label="What is known of it">
            <h4>Why</h4>
            <p>{request.why}</p>
            {request.error !== undefined && <p className="problem">{request.error}</p>}
            <h4>What it carried</h4>
            <JsonTree value={request.body} depth={3} />
            <h4>Times</h4>
            <dl className="facts">
              <dt>sent</dt>
              <dd>{formatClock(request.sentAt, true)}</dd>
              <dt>took</dt>
              <dd>{request.endedAt === undefined ? "not answered yet" : formatDuration(request.endedAt - request.sentAt)}</dd>
            </dl>
          </div>
        </section>
      )}
    </div>
  )
}

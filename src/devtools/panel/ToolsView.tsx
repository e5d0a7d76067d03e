import { type JSX, useState } from "react"
import { reasonOf } from "../../tool/reason.ts"
import type { CallTrace, ClientView, ToolView } from "../recorder/history.ts"
import type { Recorder } from "../recorder/recorder.ts"
import { CallForm } from "./CallForm.tsx"
import { stageOf } from "./callSpans.ts"
import { formatClock } from "./formatTime.ts"
import { Icon } from "./Icon.tsx"
import { JsonTree } from "./JsonTree.tsx"
import { SearchField } from "./SearchField.tsx"
import { STAGE_WORDS, StageMark } from "./StageMark.tsx"

/** Which tool is looked at, and what its form begins with. */
export interface ToolChoice {
  readonly client: string
  readonly tool: string
  readonly initial?: unknown
  /** Another one begins the form anew. */
  readonly form?: string
}

export interface ToolsViewProps {
  readonly recorder: Recorder
  readonly clients: readonly ClientView[]
  readonly calls: readonly CallTrace[]
  readonly chosen: ToolChoice | undefined
  onChoose(choice: ToolChoice | undefined): void
  onShowCall(callId: string): void
}

const STATUS_WORDS: Readonly<Record<ToolView["status"], string>> = {
  live: "live",
  pending: "not at the server",
  disabled: "switched off",
  refused: "refused",
}

/** What each tool client offers, with the schema that was published, what was refused last, and a form to call it by hand. */
export function ToolsView({ recorder, clients, calls, chosen, onChoose, onShowCall }: ToolsViewProps): JSX.Element {
  const [text, setText] = useState("")
  const client = clients.find(({ name }) => name === chosen?.client)
  const tool = client?.tools.find(({ name }) => name === chosen?.tool)
  return (
    <div className={`split${tool ? " has-detail" : ""}`}>
      <div className="main side">
        <div className="toolbar">
          <SearchField label="Search tools" value={text} onChange={setText} />
        </div>
        <nav className="tools" aria-label="Tools">
          {clients.length === 0 && <div className="empty">No tool client is there: no component offers a tool to this session.</div>}
          {clients.map((each) => (
            <section key={each.key} aria-label={`Tool client ${each.name}`}>
              <h3>
                {each.name} <span className={`status ${each.state.status}`}>{each.state.status}</span>
              </h3>
              {each.state.status === "failed" && <p className="problem">{`No agent can call these tools: ${reasonOf(each.state.error)}`}</p>}
              <ul>
                {each.tools
                  .filter(({ name, spec }) => `${name} ${spec?.description ?? ""}`.toLowerCase().includes(text.toLowerCase()))
                  .map((one) => (
                    <li key={one.name}>
                      <button
                        type="button"
                        className="tool"
                        aria-current={one === tool}
                        onClick={() => onChoose({ client: each.name, tool: one.name })}
                      >
                        <span className={`dot ${one.status}`} role="img" aria-label={STATUS_WORDS[one.status]} title={STATUS_WORDS[one.status]} />
                        <span className="tool-name">{one.name}</span>
                        {one.owners > 1 && <span className="tag" title={`${one.owners} components offer it; the one mounted last serves`}>{`${one.owners} owners`}</span>}
                        {one.status !== "live" && <span className={`tag tool-status ${one.status}`} aria-hidden="true">{STATUS_WORDS[one.status]}</span>}
                        {one.refusal && <StageMark stage="error" />}
                        {!tool && <span className={one.problem === undefined ? "tool-about" : "tool-about tool-problem"}>{one.problem ?? one.spec?.description}</span>}
                      </button>
                    </li>
                  ))}
              </ul>
              {each.tools.length === 0 && <p className="dim">It offers no tool right now.</p>}
            </section>
          ))}
        </nav>
      </div>
      {client && tool && (
        <ToolDetail
          key={`${client.key}/${tool.name}/${chosen?.form ?? ""}`}
          recorder={recorder}
          client={client}
          tool={tool}
          calls={calls}
          initial={chosen?.initial}
          onClose={() => onChoose(undefined)}
          onShowCall={onShowCall}
        />
      )}
    </div>
  )
}

interface ToolDetailProps {
  readonly recorder: Recorder
  readonly client: ClientView
  readonly tool: ToolView
  readonly calls: readonly CallTrace[]
  readonly initial: unknown
  onClose(): void
  onShowCall(callId: string): void
}

function ToolDetail({ recorder, client, tool, calls, initial, onClose, onShowCall }: ToolDetailProps): JSX.Element {
  const [callId, setCallId] = useState<string>()
  const made = calls.find((trace) => trace.callId === callId)
  const { spec, refusal } = tool
  const isGone = client.state.status === "left" || client.state.status === "leaving" || client.state.status === "failed"
  return (
    <section className="detail" aria-label={`Tool ${tool.name}`}>
      <header className="detail-head">
        <button type="button" className="icon-button" onClick={onClose} aria-label="Close the tool">
          <Icon name="close" />
        </button>
        <h3>{tool.name}</h3>
        <span className="stage">
          <span className={`dot ${tool.status}`} /> {STATUS_WORDS[tool.status]}
        </span>
      </header>
      <div className="detail-body" tabIndex={0} role="group" aria-label="What is known of it">
        {tool.problem !== undefined && <p className="problem">{tool.problem}</p>}
        {spec && <p className="description">{spec.description}</p>}
        <div className="beside">
          <div>
            <h4>{tool.status === "live" ? "Published schema" : "Schema"}</h4>
            {spec ? <JsonTree value={spec.parameters} depth={3} /> : <p className="dim">None that could be published.</p>}
            {spec?.output && (
              <>
                <h4>Promised result</h4>
                <JsonTree value={spec.output} />
              </>
            )}
            {spec?.annotations && (
              <>
                <h4>Annotations</h4>
                <JsonTree value={spec.annotations} />
              </>
            )}
          </div>
          <div>
            <h4>Last refusal</h4>
            {refusal ? (
              <>
                <pre className="text refusal">{refusal.text}</pre>
                <JsonTree value={refusal.arguments} />
                <p>
                  <button type="button" className="link" onClick={() => onShowCall(refusal.callId)}>
                    {`The call at ${formatClock(refusal.at)}`}
                  </button>
                </p>
              </>
            ) : (
              <p className="dim">No arguments were refused yet.</p>
            )}
            {spec && (
              <>
                <h4>Call by hand</h4>
                <CallForm
                  tool={tool.name}
                  parameters={spec.parameters}
                  {...(initial !== undefined && { initial })}
                  problem={isGone ? `The tool client is ${client.state.status}: nobody would answer.` : undefined}
                  onCall={(args) => setCallId(recorder.callByHand(client.key, tool.name, args))}
                />
                <div aria-live="polite">
                  {made && (
                    <div className="made">
                      <StageMark stage={stageOf(made)} />
                      <pre className="text">{made.record.answer?.text ?? STAGE_WORDS[stageOf(made)]}</pre>
                      <button type="button" className="link" onClick={() => onShowCall(made.callId)}>
                        Show the call
                      </button>
                    </div>
                  )}
                </div>
              </>
            )}
          </div>
        </div>
      </div>
    </section>
  )
}

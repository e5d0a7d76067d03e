import type { JSX } from "react"
import { type CallRecord, type ToolClient, useToolCalls } from "react-tool-client"
import { badgeTone } from "./badgeTone.ts"

/** `failed` has two ways: the answer was not taken, or nobody wanted it any more. */
const isCancelled = (call: CallRecord): boolean => call.phase === "failed" && call.isCancelled

function outcome(call: CallRecord): string {
  const { answer, error, progress, approvals } = call
  if (answer && error === undefined) return answer.text
  if (error instanceof Error) return isCancelled(call) ? `nobody wants an answer: ${error.message}` : `the server did not take it: ${error.message}`
  if (approvals.some(({ status }) => status === "waiting")) return "a person is asked"
  return progress?.message ?? ""
}

/** The record's phase, and where that says less than a person should know, what it is. */
function lookOf(call: CallRecord): { readonly word: string; readonly detail?: string } {
  if (isCancelled(call)) return { word: "cancelled", detail: "cancelled" }
  if (call.phase !== "answered") return { word: call.phase }
  const last = call.approvals.at(-1)
  if (last?.status === "refused") return { word: "refused", detail: `refused by ${last.by === "person" ? "a person" : `its ${last.by}`}` }
  return call.answer.is_error ? { word: "error", detail: "an error" } : { word: "answered" }
}

/** The calls of a tool client as they go on. */
export function CallTable({ client }: { readonly client: ToolClient }): JSX.Element {
  const calls = useToolCalls(client)
  return (
    <section aria-label="Calls">
      <h2>Calls</h2>
      {calls.length === 0 ? (
        <p>No call yet.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">tool</th>
              <th scope="col">arguments</th>
              <th scope="col">phase</th>
              <th scope="col">answer</th>
            </tr>
          </thead>
          <tbody>
            {calls.map((call) => {
              const { word, detail } = lookOf(call)
              const { progress } = call
              return (
                <tr key={call.callId}>
                  <td>{call.tool}</td>
                  <td>
                    <code>{JSON.stringify(call.arguments)}</code>
                  </td>
                  <td>
                    <span className={badgeTone(word)}>{call.phase}</span>
                    {detail !== undefined && <small>{detail}</small>}
                  </td>
                  <td>
                    {progress && call.settledAt === undefined && (
                      <progress aria-label={`Progress of ${call.tool}`} value={progress.done} max={progress.total ?? progress.done} />
                    )}
                    {outcome(call)}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
    </section>
  )
}

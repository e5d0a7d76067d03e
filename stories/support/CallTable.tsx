import type { JSX } from "react"
import { type CallRecord, type ToolClient, useToolCalls } from "react-tool-client"
import { badgeTone } from "./badgeTone.ts"

function outcome({ answer, error, progress, approvals }: CallRecord): string {
  if (answer && error === undefined) return answer.text
  if (error instanceof Error) return `the server did not take it: ${error.message}`
  if (approvals.some(({ status }) => status === "waiting")) return "a person is asked"
  return progress?.message ?? ""
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
              const word = call.answer?.is_error && call.phase === "answered" ? "error" : call.phase
              const { progress } = call
              return (
                <tr key={call.callId}>
                  <td>{call.tool}</td>
                  <td>
                    <code>{JSON.stringify(call.arguments)}</code>
                  </td>
                  <td>
                    <span className={badgeTone(word)}>{call.phase}</span>
                  </td>
                  <td>
                    {progress && call.settledAt === undefined && (
                      <progress aria-label={`Progress of ${call.tool}`} value={progress.done} max={progress.total ?? progress.done} />
                    )}{" "}
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

import { useMutation } from "@tanstack/react-query"
import { useId, useState } from "react"
import type { RemoteChoice, RemoteError } from "react-tool-client/hub"
import { useHub } from "react-tool-client/hub/react"
import { exampleArguments } from "../agent/exampleArguments.ts"
import { AnswerText } from "../ui/AnswerText.tsx"
import { Card } from "../ui/Card.tsx"
import { AgentReportView } from "./AgentReportView.tsx"
import type { AgentReport } from "./agentReport.ts"
import styles from "./hub.module.css"
import { type Choices, choiceOf, RemoteChoices } from "./RemoteChoices.tsx"
import type { RemoteGroup } from "./remoteGroups.ts"

/** The dev server's only agent. */
const AGENT_ID = "assistant"

/** Lines to begin from, beside the text field. */
const MAX_EXAMPLES = 4

/** Prompts an agent that runs at the hub, with some of the remotes as its tools. */
export function PromptCard({ remotes }: { readonly remotes: readonly RemoteGroup[] }) {
  const hub = useHub()
  const [choices, setChoices] = useState<Choices>({})
  const [instruction, setInstruction] = useState("What can you do?")
  const instructionId = useId()
  const run = useMutation<AgentReport, RemoteError, AbortController>({
    networkMode: "always",
    // What the agent resolves with is the dev server's own, and of one shape with the page.
    mutationFn: async ({ signal }) => (await hub.prompt({ agentId: AGENT_ID, instruction, options }, { signal })) as unknown as AgentReport,
  })

  const chosen = remotes.filter(({ remotename }) => choiceOf(choices, remotename).isChosen)
  const options = {
    remotes: chosen.map(({ remotename }): RemoteChoice => {
      const { prefix } = choiceOf(choices, remotename)
      return prefix === "" ? remotename : { name: remotename, prefix }
    }),
  }
  const examples = chosen
    .flatMap(({ remotename, functions }) =>
      functions.map(({ name, parameters }) => `${choiceOf(choices, remotename).prefix}${name} ${JSON.stringify(exampleArguments(parameters))}`),
    )
    .slice(0, MAX_EXAMPLES)

  return (
    <Card title="Agent" aside={<code>{AGENT_ID}</code>}>
      <p className={styles.hint}>
        It runs at the hub and needs no model: it calls what the instruction names, one call a line. It sees the hub&rsquo;s remotes, and never those of
        a page alone.
      </p>
      <form
        className={styles.prompt}
        onSubmit={(event) => {
          event.preventDefault()
          run.mutate(new AbortController())
        }}
      >
        <RemoteChoices remotes={remotes} choices={choices} onChange={setChoices} />
        <div className="field">
          <label htmlFor={instructionId}>Instruction</label>
          <textarea
            id={instructionId}
            className="code"
            rows={3}
            required
            spellCheck={false}
            value={instruction}
            onChange={(event) => setInstruction(event.target.value)}
          />
        </div>
        {examples.length > 0 && (
          <ul className={styles.examples} aria-label="Lines to begin from">
            {examples.map((line) => (
              <li key={line}>
                <button type="button" className="small" onClick={() => setInstruction(line)}>
                  <code>{line}</code>
                </button>
              </li>
            ))}
          </ul>
        )}
        <details className={styles.source}>
          <summary>As code</summary>
          <pre role="group" aria-label="The prompt as code" tabIndex={0}>
            {`hub.prompt(${JSON.stringify({ agentId: AGENT_ID, instruction, options }, null, 2)})`}
          </pre>
        </details>
        <div className={styles.actions}>
          <button type="submit" disabled={run.isPending}>
            {run.isPending ? "Running" : "Prompt"}
          </button>
          {run.isPending && (
            <button type="button" className="quiet" onClick={() => run.variables.abort()}>
              Stop waiting
            </button>
          )}
        </div>
      </form>
      <div aria-live="polite">
        {run.data && !run.isPending && <AgentReportView report={run.data} />}
        {run.error && !run.isPending && <AnswerText isCaptioned label="The prompt failed" text={run.error.message} />}
      </div>
    </Card>
  )
}

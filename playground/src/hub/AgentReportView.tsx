import { AnswerText } from "../ui/AnswerText.tsx"
import { Badge } from "../ui/Badge.tsx"
import row from "../ui/row.module.css"
import type { AgentReport } from "./agentReport.ts"
import styles from "./hub.module.css"

/** What the agent got, what it called and what it says. */
export function AgentReportView({ report: { tools, calls, text } }: { readonly report: AgentReport }) {
  return (
    <section className={styles.report} aria-label="What the agent did">
      <h3>It had {tools.length === 1 ? "one tool" : `${tools.length} tools`}</h3>
      <ul className={styles.toolNames} aria-label="Tools of the run">
        {tools.map(({ name, description }) => (
          <li key={name} title={description}>
            <code>{name}</code>
          </li>
        ))}
      </ul>
      {calls.map((call, index) => (
        // Calls of a run have no identity but their order.
        <article key={index} aria-label={`Call of ${call.tool}`} className={row.reply}>
          <header>
            {call.is_error ? <Badge tone="bad">error</Badge> : <Badge tone="good">answer</Badge>}
            <code>{call.tool}</code>
          </header>
          <AnswerText label="Answer" text={call.text} />
        </article>
      ))}
      <p className={styles.said}>{text}</p>
    </section>
  )
}

import { useId } from "react"
import styles from "./agent.module.css"
import type { AgentTool } from "./agentApi.ts"
import { parseToolName } from "./toolName.ts"

export interface ToolPickerProps {
  readonly tools: readonly AgentTool[]
  readonly picked: AgentTool
  /** Whether an agent can call it right now. */
  readonly isOffered: boolean
  onPick(this: void, name: string): void
}

/** The session's tools by their tool clients, one of them picked. */
export function ToolPicker({ tools, picked, isOffered, onPick }: ToolPickerProps) {
  const id = useId()
  const shown = isOffered ? tools : [...tools, picked]
  const clients = new Set(shown.map(({ name }) => parseToolName(name).client))
  return (
    <div className="field">
      <label htmlFor={id}>Tool</label>
      <select id={id} value={picked.name} onChange={(event) => onPick(event.target.value)}>
        {[...clients].map((client) => (
          <optgroup key={client} label={client}>
            {shown
              .filter(({ name }) => parseToolName(name).client === client)
              .map(({ name }) => (
                <option key={name} value={name}>
                  {parseToolName(name).tool}
                  {name === picked.name && !isOffered && " (not offered now)"}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
      <p className={styles.description}>{picked.description}</p>
    </div>
  )
}

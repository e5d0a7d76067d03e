import type { ToolClient } from "react-tool-client"
import { ToolChip } from "./ToolChip.tsx"
import styles from "./ui.module.css"

export interface ToolChipsProps {
  readonly client: ToolClient
  readonly names: readonly string[]
}

/** The tools that one part of the page may offer, and which of them an agent can call right now. */
export function ToolChips({ client, names }: ToolChipsProps) {
  return (
    <ul className={styles.chips} aria-label="Tools">
      {names.map((name) => (
        <ToolChip key={name} client={client} name={name} />
      ))}
    </ul>
  )
}

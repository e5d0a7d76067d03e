import { type ToolClient, useToolCalls, useToolStatus } from "react-tool-client"
import styles from "./ui.module.css"

export interface ToolChipProps {
  readonly client: ToolClient
  readonly name: string
}

const WORDS = { live: "live", pending: "not offered", off: "off" } as const

export function ToolChip({ client, name }: ToolChipProps) {
  const status = useToolStatus(client, name)
  const isBusy = useToolCalls(client, name).some(({ phase }) => phase === "acked" || phase === "running")
  return (
    <li className={styles.chip} data-status={status} data-busy={isBusy}>
      {name}
      <span className="visually-hidden">: {isBusy ? "running" : WORDS[status]}</span>
    </li>
  )
}

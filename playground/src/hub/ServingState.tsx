import { type ToolClient, useToolClientState } from "react-tool-client"
import { CLIENT_TONES } from "../layout/connectionLook.ts"
import { Badge } from "../ui/Badge.tsx"

export interface ServingStateProps {
  readonly client: ToolClient
  readonly isServing: boolean
  readonly isTaken: boolean
}

/** How a remote of this page stands with whom it is served to. */
export function ServingState({ client, isServing, isTaken }: ServingStateProps) {
  const { status } = useToolClientState(client)
  if (!isServing) return <Badge tone="quiet">not served</Badge>
  if (isTaken && status === "joining") return <Badge tone="asking">name taken</Badge>
  return <Badge tone={CLIENT_TONES[status]}>{status}</Badge>
}

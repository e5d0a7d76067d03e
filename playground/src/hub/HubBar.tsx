import type { SessionState } from "react-tool-client"
import { useHub } from "react-tool-client/hub/react"
import { SESSION_TONES, troubleOf } from "../layout/connectionLook.ts"
import { Fact } from "../layout/Fact.tsx"
import { PageBar } from "../layout/PageBar.tsx"
import { Trouble } from "../layout/Trouble.tsx"
import { hrefOf } from "../router/pages.ts"
import { Badge } from "../ui/Badge.tsx"
import { Icon } from "../ui/Icon.tsx"

export interface HubBarProps {
  readonly state: SessionState
  /** For the second tab's remote. */
  readonly otherName: string
}

/** How the page stands with the hub. */
export function HubBar({ state, otherName }: HubBarProps) {
  const hub = useHub()
  const trouble = troubleOf(state)
  return (
    <PageBar
      title="Hub"
      lead="Tabs of one person serve remotes to each other, and to agents that run at the hub."
      facts={
        <>
          <Fact label="Connection">
            <span role="status" data-testid="hub-connection">
              <Badge tone={SESSION_TONES[state.status]}>{state.status}</Badge>
            </span>
          </Fact>
          <Fact label="User">
            <code>developer</code>
          </Fact>
        </>
      }
      links={
        <>
          <a href={`./${hrefOf("hub", { remote: otherName })}`} target="_blank" rel="noreferrer">
            Second tab <Icon name="external" />
          </a>
        </>
      }
      trouble={trouble !== undefined && <Trouble message={trouble} action="Connect now" onAction={hub.retry} />}
    />
  )
}

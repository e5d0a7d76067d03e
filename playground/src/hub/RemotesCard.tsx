import { Badge } from "../ui/Badge.tsx"
import { Card } from "../ui/Card.tsx"
import { FunctionRow } from "./FunctionRow.tsx"
import styles from "./hub.module.css"
import type { RemoteGroup } from "./remoteGroups.ts"

export interface RemotesCardProps {
  /** Undefined until the hub has told them. */
  readonly remotes: readonly RemoteGroup[] | undefined
  readonly error: Error | null
  /** The remote that this tab serves to the hub, if it does. */
  readonly ownName: string | undefined
}

/** Every remote that can be called from here, the page's own beside the hub's, and a form for each function. */
export function RemotesCard({ remotes, error, ownName }: RemotesCardProps) {
  const placeOf = ({ isLocal, remotename }: RemoteGroup) => {
    if (isLocal) return <Badge tone="quiet">this page only</Badge>
    return remotename === ownName ? <Badge tone="good">this tab</Badge> : <Badge tone="busy">another tab</Badge>
  }
  return (
    <Card title="Remotes" aside={remotes ? `${remotes.length} to call` : "Asking the hub"}>
      {error && (
        <p role="alert" className={styles.refusal}>
          The remotes could not be listed: {error.message}
        </p>
      )}
      <ul className={styles.remotes} aria-label="Remotes">
        {remotes?.map((remote) => (
          <li key={`${remote.isLocal} ${remote.remotename}`} data-remote={remote.remotename}>
            <h3>
              <code>{remote.remotename}</code> {placeOf(remote)}
            </h3>
            {remote.functions.map((one) => (
              <FunctionRow key={one.name} remotename={remote.remotename} listed={one} />
            ))}
          </li>
        ))}
      </ul>
    </Card>
  )
}

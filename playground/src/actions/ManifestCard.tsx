import type { Manifest } from "react-tool-client/tools"
import { AnswerText } from "../ui/AnswerText.tsx"
import { Card } from "../ui/Card.tsx"
import styles from "./actions.module.css"

/** What the host says of itself: all that a client is made of. */
export function ManifestCard({ manifest }: { readonly manifest: Manifest }) {
  return (
    <Card title="Manifest" aside={<code>{manifest.version.slice(0, 12)}</code>}>
      <ul className={styles.providers}>
        {manifest.providers.map(({ id, name, description, actions, entities, events }) => (
          <li key={id}>
            <h3>{name}</h3>
            {description !== undefined && <p className={styles.note}>{description}</p>}
            <ul className={styles.names} aria-label={`Actions of ${name}`}>
              {actions.map(({ functionName }) => (
                <li key={functionName}>
                  <code>{functionName}</code>
                </li>
              ))}
            </ul>
            {entities.length + events.length > 0 && (
              <p className={styles.note}>
                {[...entities.map((entity) => `entity ${entity.name}`), ...events.map((event) => `event ${event.name}`)].join(", ")}
              </p>
            )}
          </li>
        ))}
      </ul>
      <details className={styles.source}>
        <summary>As the host sends it</summary>
        <AnswerText label="The manifest as JSON" text={JSON.stringify(manifest)} />
      </details>
    </Card>
  )
}

import { useId } from "react"
import styles from "./hub.module.css"
import type { RemoteGroup } from "./remoteGroups.ts"

/** The remotes that a prompt names, each with what stands before its functions' names. */
export type Choices = Readonly<Record<string, { readonly isChosen: boolean; readonly prefix: string }>>

export interface RemoteChoicesProps {
  readonly remotes: readonly RemoteGroup[]
  readonly choices: Choices
  onChange(this: void, choices: Choices): void
}

const NOT_CHOSEN = { isChosen: false, prefix: "" }

export const choiceOf = (choices: Choices, remotename: string) => (Object.hasOwn(choices, remotename) ? choices[remotename] : undefined) ?? NOT_CHOSEN

/** Which of the hub's remotes the agent gets. */
export function RemoteChoices({ remotes, choices, onChange }: RemoteChoicesProps) {
  const id = useId()
  return (
    <fieldset className={styles.choices}>
      <legend>Remotes for this run</legend>
      {remotes.length === 0 && <p className="empty">The hub has none right now.</p>}
      {remotes.map(({ remotename }) => {
        const choice = choiceOf(choices, remotename)
        const change = (next: Partial<typeof choice>): void => onChange({ ...choices, [remotename]: { ...choice, ...next } })
        return (
          <div key={remotename} className={styles.choice}>
            <input
              id={`${id}-${remotename}`}
              type="checkbox"
              checked={choice.isChosen}
              onChange={(event) => change({ isChosen: event.target.checked })}
            />
            <label htmlFor={`${id}-${remotename}`}>
              <code>{remotename}</code>
            </label>
            <input
              className="code"
              aria-label={`Prefix for the functions of ${remotename}`}
              placeholder="no prefix"
              maxLength={20}
              pattern="[A-Za-z0-9_\-]*"
              title="Letters, digits, _ and -"
              disabled={!choice.isChosen}
              value={choice.prefix}
              onChange={(event) => change({ prefix: event.target.value })}
            />
          </div>
        )
      })}
    </fieldset>
  )
}

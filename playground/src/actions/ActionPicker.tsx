import { useId } from "react"
import type { Manifest, ManifestAction } from "react-tool-client/tools"
import agent from "../agent/agent.module.css"

export interface ActionPickerProps {
  readonly manifest: Manifest
  readonly picked: ManifestAction
  onPick(this: void, functionName: string): void
}

/** The host's actions by their providers, one of them picked. */
export function ActionPicker({ manifest: { providers }, picked, onPick }: ActionPickerProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>Action</label>
      <select id={id} value={picked.functionName} onChange={(event) => onPick(event.target.value)}>
        {providers.map((provider) => (
          <optgroup key={provider.id} label={provider.name}>
            {provider.actions.map(({ functionName, name }) => (
              <option key={functionName} value={functionName}>
                {name}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <p className={agent.description}>{picked.description}</p>
    </div>
  )
}

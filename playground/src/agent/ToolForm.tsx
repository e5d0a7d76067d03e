import { type ReactNode, useEffect, useId, useState } from "react"
import type { JsonSchema, JsonValue } from "react-tool-client"
import styles from "./agent.module.css"
import { type Draft, draftOf, groupDraft, type Reading, readDraft } from "./draft.ts"
import { FieldInput } from "./FieldInput.tsx"
import { formOf } from "./schemaField.ts"

export interface ToolFormProps {
  readonly parameters: JsonSchema
  /** What is written down here. `@default` "Arguments" */
  readonly heading?: string
  /** The button's. `@default` "Call tool" */
  readonly action?: string
  /** What stands beside the button, made of the arguments as they are now. */
  renderBeside?(this: void, args: JsonValue): ReactNode
  /** Hears the arguments, as JSON, as they are written down. */
  onWritten?: ((this: void, args: string) => void) | undefined
  onCall(this: void, args: JsonValue): void
}

function readJson(text: string): Reading {
  try {
    return { type: "value", value: JSON.parse(text) as JsonValue }
  } catch (error) {
    return { type: "problem", problem: (error as Error).message }
  }
}

/** The arguments of one tool: a form made of its JSON Schema, or plain JSON. What is wrong in the eyes of the schema is sent all the same. */
export function ToolForm({ parameters, heading = "Arguments", action = "Call tool", renderBeside, onWritten, onCall }: ToolFormProps) {
  const form = formOf(parameters)
  const [draft, setDraft] = useState<Draft>(() => draftOf(form))
  const [json, setJson] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const jsonId = useId()
  const reading = json === null ? readDraft(form, draft, true) : readJson(json)
  const args = reading.type === "value" ? reading.value : {}
  const written = JSON.stringify(args)
  useEffect(() => onWritten?.(written), [onWritten, written])

  function showForm(): void {
    if (reading.type === "value") setDraft(draftOf(form, reading.value))
    setJson(null)
    setProblem(null)
  }

  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        setProblem(reading.type === "problem" ? reading.problem : null)
        if (reading.type === "value") onCall(reading.value)
      }}
    >
      <div className={styles.formHeader}>
        <h3>{heading}</h3>
        {json === null && form.kind === "group" && form.properties.some(({ isRequired }) => isRequired) && (
          <p className={styles.requiredNote} aria-hidden="true">
            <span className={styles.required} /> required
          </p>
        )}
        <div className="segments" role="group" aria-label={`Write the ${heading.toLowerCase()} as`}>
          <button type="button" aria-pressed={json === null} onClick={showForm}>
            form
          </button>
          <button type="button" aria-pressed={json !== null} onClick={() => setJson((now) => now ?? JSON.stringify(args, null, 2))}>
            JSON
          </button>
        </div>
      </div>
      {json !== null && (
        <div className="field">
          <label htmlFor={jsonId} className="visually-hidden">
            {heading} as JSON
          </label>
          <textarea id={jsonId} className="code" rows={6} spellCheck={false} value={json} onChange={(event) => setJson(event.target.value)} />
        </div>
      )}
      {json === null &&
        form.kind === "group" &&
        form.properties.map(({ name, field, isRequired }) => (
          <FieldInput
            key={name}
            field={field}
            isRequired={isRequired}
            draft={groupDraft(draft)[name]}
            onChange={(next) => setDraft((now) => ({ ...groupDraft(now), [name]: next }))}
          />
        ))}
      {json === null && form.kind === "group" && form.properties.length === 0 && <p className={styles.none}>It takes none.</p>}
      {json === null && form.kind !== "group" && <FieldInput field={form} isRequired draft={draft} onChange={setDraft} />}
      {problem !== null && (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
      <div className={styles.actions}>
        <button type="submit">{action}</button>
        {renderBeside?.(args)}
      </div>
    </form>
  )
}

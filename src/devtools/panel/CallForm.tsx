import { type FormEvent, type JSX, useId, useState } from "react"
import type { JsonSchema } from "../recorder/history.ts"
import { fieldsOf, sampleOf, type SchemaField, textOfValue, valueOfText } from "./schemaFields.ts"

export interface CallFormProps {
  readonly tool: string
  readonly parameters: JsonSchema
  /** What stands in it at first. @default a sample of what the schema requires */
  readonly initial?: unknown
  /** Why it cannot be called right now. */
  readonly problem?: string | undefined
  onCall(args: unknown): void
}

type Values = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Values => typeof value === "object" && value !== null && !Array.isArray(value)

function Field({ field, text, onChange }: { readonly field: SchemaField; readonly text: string; onChange(text: string): void }): JSX.Element {
  const id = useId()
  const common = { id, value: text, "aria-required": field.isRequired, "aria-describedby": field.description === undefined ? undefined : `${id}d` }
  const choices = field.kind === "boolean" ? ["true", "false"] : field.options.map((option) => JSON.stringify(option))
  return (
    <div className="field">
      <label htmlFor={id}>
        {field.name}
        {field.isRequired ? <span className="required" title="required" aria-hidden="true">
            {" "}
            *
          </span> : <span className="dim"> optional</span>}
      </label>
      {field.kind === "boolean" || field.kind === "choice" ? (
        <select {...common} onChange={(event) => onChange(event.target.value)}>
          <option value="">not given</option>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice.replace(/^"|"$/g, "")}
            </option>
          ))}
        </select>
      ) : field.kind === "json" ? (
        <textarea {...common} rows={2} spellCheck={false} placeholder="JSON" onChange={(event) => onChange(event.target.value)} />
      ) : (
        <input {...common} type="text" inputMode={field.kind === "number" ? "decimal" : "text"} onChange={(event) => onChange(event.target.value)} />
      )}
      {field.description !== undefined && (
        <p className="dim" id={`${id}d`}>
          {field.description}
        </p>
      )}
    </div>
  )
}

/** Asks for a tool's arguments, by its schema or as JSON. Nothing is checked here: what the tool refuses is to be seen. */
export function CallForm({ tool, parameters, initial = sampleOf(parameters), problem, onCall }: CallFormProps): JSX.Element {
  const fields = fieldsOf(parameters)
  const [isJson, setJson] = useState(fields.length === 0 || !isObject(initial))
  const [json, setJsonText] = useState(() => JSON.stringify(initial, null, 2))
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(() => {
    const values = isObject(initial) ? initial : {}
    return Object.fromEntries(fields.map((field) => [field.name, textOfValue(field, values[field.name])]))
  })
  const [error, setError] = useState<string>()
  const id = useId()

  function read(): unknown {
    if (isJson) return JSON.parse(json) as unknown
    const entries = fields.map((field) => {
      try {
        return [field.name, valueOfText(field, texts[field.name] ?? "")] as const
      } catch (thrown) {
        throw new Error(`${field.name}: ${thrown instanceof Error ? thrown.message : String(thrown)}`, { cause: thrown })
      }
    })
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
  }

  function attempt(take: (args: unknown) => void): void {
    try {
      take(read())
      setError(undefined)
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown.message : String(thrown))
    }
  }

  function onSubmit(event: FormEvent): void {
    event.preventDefault()
    attempt(onCall)
  }

  function toJson(): void {
    attempt((args) => {
      setJsonText(JSON.stringify(args, null, 2))
      setJson(true)
    })
  }

  function toFields(): void {
    attempt((args) => {
      const values = isObject(args) ? args : {}
      setTexts(Object.fromEntries(fields.map((field) => [field.name, textOfValue(field, values[field.name])])))
      setJson(false)
    })
  }

  return (
    <form className="call-form" aria-label={`Call ${tool} by hand`} onSubmit={onSubmit}>
      {isJson ? (
        <div className="field">
          <label htmlFor={`${id}json`}>Arguments as JSON</label>
          <textarea id={`${id}json`} rows={5} spellCheck={false} value={json} onChange={(event) => setJsonText(event.target.value)} />
        </div>
      ) : (
        fields.map((field) => (
          <Field key={field.name} field={field} text={texts[field.name] ?? ""} onChange={(text) => setTexts({ ...texts, [field.name]: text })} />
        ))
      )}
      {error !== undefined && (
        <p className="problem" role="alert">
          {error}
        </p>
      )}
      {problem !== undefined && <p className="dim">{problem}</p>}
      <div className="actions">
        <button type="submit" className="button primary" disabled={problem !== undefined}>
          {`Call ${tool}`}
        </button>
        {fields.length > 0 && (
          <button type="button" className="button" onClick={isJson ? toFields : toJson}>
            {isJson ? "As fields" : "As JSON"}
          </button>
        )}
      </div>
    </form>
  )
}

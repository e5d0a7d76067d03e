import { useId } from "react"
import styles from "./agent.module.css"
import { type Draft, groupDraft, listDraft, textDraft } from "./draft.ts"
import { ListInput } from "./ListInput.tsx"
import type { Field } from "./schemaField.ts"

export interface FieldInputProps {
  readonly field: Field
  readonly isRequired: boolean
  readonly draft: Draft
  onChange(this: void, draft: Draft): void
}

const INPUT_TYPES: Readonly<Record<string, string>> = { email: "email", date: "date", time: "time", uri: "url" }

/** Screen readers hear `required` from the control itself. */
const Need = ({ isRequired }: { readonly isRequired: boolean }) => <span className={isRequired ? styles.required : styles.optional}>{!isRequired && " optional"}</span>

/** The control for one field of a form that was made of a JSON Schema, with its label and its help. */
export function FieldInput({ field, isRequired, draft, onChange }: FieldInputProps) {
  const id = useId()
  const helpId = `${id}-help`
  const help = field.description !== undefined && (
    <p id={helpId} className={styles.help}>
      {field.description}
    </p>
  )
  const control = {
    id,
    required: isRequired,
    "aria-describedby": field.description === undefined ? undefined : helpId,
  }
  const label = (
    <label htmlFor={id}>
      {field.label}
      <Need isRequired={isRequired} />
    </label>
  )

  switch (field.kind) {
    case "group":
      return (
        <fieldset aria-describedby={control["aria-describedby"]}>
          <legend>
            {field.label}
            <Need isRequired={isRequired} />
          </legend>
          <div className={styles.members}>
            {help}
            {field.properties.map((property) => (
              <FieldInput
                key={property.name}
                field={property.field}
                isRequired={property.isRequired}
                draft={groupDraft(draft)[property.name]}
                onChange={(next) => onChange({ ...groupDraft(draft), [property.name]: next })}
              />
            ))}
          </div>
        </fieldset>
      )
    case "list":
      return (
        <ListInput
          label={field.label}
          help={help}
          items={listDraft(draft)}
          onChange={onChange}
          renderItem={(item, itemLabel, change) => (
            <FieldInput field={{ ...field.item, label: itemLabel, description: undefined }} isRequired draft={item} onChange={change} />
          )}
        />
      )
    case "boolean":
      return (
        <div className={styles.check}>
          <input {...control} required={false} type="checkbox" checked={draft === true} onChange={(event) => onChange(event.target.checked)} />
          <label htmlFor={id}>{field.label}</label>
          {help}
        </div>
      )
    case "choice":
      return (
        <div className="field">
          {label}
          <select {...control} value={textDraft(draft)} onChange={(event) => onChange(event.target.value)}>
            <option value="">{isRequired ? "Choose …" : "Left out"}</option>
            {field.options.map((option) => {
              const value = JSON.stringify(option.value)
              return (
                <option key={value} value={value}>
                  {option.label}
                </option>
              )
            })}
          </select>
          {help}
        </div>
      )
    case "number":
      return (
        <div className="field">
          {label}
          <input
            {...control}
            type="number"
            min={field.minimum}
            max={field.maximum}
            step={field.isWhole ? 1 : "any"}
            value={textDraft(draft)}
            onChange={(event) => onChange(event.target.value)}
          />
          {help}
        </div>
      )
    case "text":
      return (
        <div className="field">
          {label}
          {field.isLong ? (
            <textarea {...control} rows={3} value={textDraft(draft)} onChange={(event) => onChange(event.target.value)} />
          ) : (
            <input
              {...control}
              type={INPUT_TYPES[field.format ?? ""] ?? "text"}
              value={textDraft(draft)}
              onChange={(event) => onChange(event.target.value)}
            />
          )}
          {help}
        </div>
      )
    case "json":
      return (
        <div className="field">
          {label}
          <textarea
            {...control}
            className="code"
            rows={3}
            spellCheck={false}
            placeholder="JSON"
            value={textDraft(draft)}
            onChange={(event) => onChange(event.target.value)}
          />
          {help}
        </div>
      )
    default:
      return field satisfies never
  }
}

import { type ReactNode, useId } from "react"

export interface ControlProps {
  readonly id: string
  readonly "aria-invalid": boolean
  readonly "aria-describedby": string | undefined
}

export interface ContactFieldProps {
  readonly label: string
  readonly error: string | undefined
  /** The control, given what ties it to its label and its error. */
  children(props: ControlProps): ReactNode
}

/** A labelled control with its error beneath. */
export function ContactField({ label, error, children }: ContactFieldProps) {
  const id = useId()
  const errorId = `${id}-error`
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, "aria-invalid": error !== undefined, "aria-describedby": error === undefined ? undefined : errorId })}
      {error !== undefined && (
        <p id={errorId} className="field-error">
          {error}
        </p>
      )}
    </div>
  )
}

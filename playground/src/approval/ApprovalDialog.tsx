import { useEffect, useId, useRef } from "react"
import type { PendingApproval } from "react-tool-client"
import styles from "./approval.module.css"

export interface ApprovalDialogProps {
  readonly pending: PendingApproval
  /** How many more wait behind it. */
  readonly behind: number
}

/** Asks a person whether a tool may act. Give it the question's call id as its key, so that each question is a dialog of its own. */
export function ApprovalDialog({ pending, behind }: ApprovalDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const title = useRef<HTMLHeadingElement>(null)
  const titleId = useId()
  const messageId = useId()

  useEffect(() => {
    const element = dialog.current
    element?.showModal()
    // Not on a button: the dialog opens by itself, and a key that was on its way elsewhere must decide nothing.
    title.current?.focus()
    return () => element?.close()
  }, [])

  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-labelledby={titleId}
      aria-describedby={messageId}
      onCancel={(event) => {
        event.preventDefault()
        pending.refuse(event)
      }}
    >
      <h2 id={titleId} ref={title} tabIndex={-1}>
        The agent asks
      </h2>
      <p id={messageId} className={styles.message}>
        {pending.message}
      </p>
      <p className={styles.origin}>
        Asked by the tool <code>{pending.tool}</code>
        {behind > 0 && `, ${behind} more waiting`}
      </p>
      <div className={styles.buttons}>
        <button type="button" className="secondary" onClick={pending.refuse}>
          Refuse
        </button>
        <button type="button" onClick={pending.approve}>
          Approve
        </button>
      </div>
    </dialog>
  )
}

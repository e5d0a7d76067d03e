import { useId, useState } from "react"
import { type ToolApproval, type ToolClient, useTool, useToolContext } from "react-tool-client"
import { z } from "zod"
import { Card } from "../ui/Card.tsx"
import { ToolChips } from "../ui/ToolChips.tsx"
import styles from "./contact.module.css"
import { type ContactErrors, contactErrors, type ContactForm, EMPTY_FORM, TOPICS } from "./contactForm.ts"
import { ContactField } from "./ContactField.tsx"

const TOOLS = ["read_contact_form", "fill_contact_form", "send_contact_form"]

/** A form that an agent may fill in, and send once the person says so. */
export function ContactCard({ client, ask }: { readonly client: ToolClient; readonly ask: ToolApproval["ask"] }) {
  const [form, setForm] = useState(EMPTY_FORM)
  const [errors, setErrors] = useState<ContactErrors>({})
  const [sentTo, setSentTo] = useState<string | null>(null)
  const formId = useId()

  function change(next: Partial<ContactForm>): void {
    setForm((now) => ({ ...now, ...next }))
    setErrors({})
    setSentTo(null)
  }

  function send(): void {
    setSentTo(form.email)
    setForm(EMPTY_FORM)
    setErrors({})
  }

  useToolContext(client, "read_contact_form", {
    title: "Read the contact form",
    description: "What stands in the contact form now, and what still keeps it from being sent.",
    read: () => ({ form, missing: contactErrors(form) }),
  })

  useTool(client, "fill_contact_form", {
    title: "Fill in the contact form",
    description: "Fill in fields of the contact form. What is left out stays as it is. Does not send it.",
    schema: z.object({
      name: z.string().max(80).exactOptional(),
      email: z.email().exactOptional(),
      topic: z.enum(TOPICS).exactOptional(),
      message: z.string().max(1000).exactOptional().describe("In the person's words"),
      wantsCopy: z.boolean().exactOptional().describe("Whether to send a copy to the person"),
    }),
    execute(fields) {
      change(fields)
      const next = { ...form, ...fields }
      return { form: next, missing: contactErrors(next) }
    },
  })

  useTool(client, "send_contact_form", {
    title: "Send the contact form",
    description: "Send the contact form as it stands. The person is asked first and may refuse.",
    schema: z.object({}),
    annotations: { openWorldHint: true },
    async execute(_args, call) {
      const missing = contactErrors(form)
      if (Object.keys(missing).length > 0) {
        setErrors(missing)
        const list = Object.entries(missing).map(([field, problem]) => `${field}: ${problem}`)
        return { text: `It cannot be sent yet. ${list.join("; ")}.`, is_error: true }
      }
      // What was asked about is what is sent: `form` stays this render's while the person decides.
      if (!(await ask(call, { message: `Send this message to support, from ${form.name} <${form.email}>?\n\n${form.message}` }))) {
        return "It was not sent: the person did not agree."
      }
      send()
      return `Sent. The answer goes to ${form.email}.`
    },
  })

  return (
    <Card title="Contact" aside="Replies within a day" footer={<ToolChips client={client} names={TOOLS} />}>
      <form
        id={formId}
        className={styles.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          const missing = contactErrors(form)
          setErrors(missing)
          const [first] = Object.keys(missing)
          if (!first) return send()
          event.currentTarget.querySelector<HTMLElement>(`[name="${first}"]`)?.focus()
        }}
      >
        <ContactField label="Name" error={errors.name}>
          {(props) => <input {...props} name="name" autoComplete="name" value={form.name} onChange={(event) => change({ name: event.target.value })} />}
        </ContactField>
        <ContactField label="E-mail" error={errors.email}>
          {(props) => (
            <input {...props} name="email" type="email" autoComplete="email" value={form.email} onChange={(event) => change({ email: event.target.value })} />
          )}
        </ContactField>
        <ContactField label="Topic" error={errors.topic}>
          {(props) => (
            <select {...props} name="topic" value={form.topic} onChange={(event) => change({ topic: event.target.value as ContactForm["topic"] })}>
              {TOPICS.map((topic) => (
                <option key={topic}>{topic}</option>
              ))}
            </select>
          )}
        </ContactField>
        <ContactField label="Message" error={errors.message}>
          {(props) => (
            <textarea {...props} name="message" rows={4} value={form.message} onChange={(event) => change({ message: event.target.value })} />
          )}
        </ContactField>
        <div className={styles.end}>
          <label className={styles.copy}>
            <input type="checkbox" checked={form.wantsCopy} onChange={(event) => change({ wantsCopy: event.target.checked })} />
            Send me a copy
          </label>
          <button type="submit">Send message</button>
        </div>
        <p role="status" className={styles.sent}>
          {sentTo && `Sent. We answer to ${sentTo}.`}
        </p>
      </form>
    </Card>
  )
}

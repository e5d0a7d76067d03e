import { z } from "zod"

export const TOPICS = ["order", "product", "press", "other"] as const

/** What stands in the form, complete or not. */
export interface ContactForm {
  readonly name: string
  readonly email: string
  readonly topic: (typeof TOPICS)[number]
  readonly message: string
  readonly wantsCopy: boolean
}

export const EMPTY_FORM: ContactForm = { name: "", email: "", topic: "order", message: "", wantsCopy: false }

/** What can be sent. */
export const ContactMessage = z.object({
  name: z.string().trim().min(1, "a name is missing"),
  email: z.email("this is no e-mail address"),
  topic: z.enum(TOPICS),
  message: z.string().trim().min(10, "a message has at least 10 characters"),
  wantsCopy: z.boolean(),
})

export type ContactErrors = Partial<Record<keyof ContactForm, string>>

/** What keeps a form from being sent, by field. */
export function contactErrors(form: ContactForm): ContactErrors {
  const { error } = ContactMessage.safeParse(form)
  return Object.fromEntries(error?.issues.map(({ path, message }) => [String(path[0]), message]) ?? [])
}

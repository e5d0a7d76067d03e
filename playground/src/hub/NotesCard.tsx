import { useState } from "react"
import { type ToolClient, useTools } from "react-tool-client"
import { z } from "zod"
import { Card } from "../ui/Card.tsx"
import { ToolChips } from "../ui/ToolChips.tsx"
import { ServingState } from "./ServingState.tsx"

const FUNCTIONS = ["read_notes", "write_note"]

/** Notes are short. Characters. */
const MAX_LENGTH = 2000

/** A remote within this page: listed and called as those of the hub, and unknown to it. */
export function NotesCard({ client }: { readonly client: ToolClient }) {
  const [notes, setNotes] = useState("Bring an umbrella to Kyoto.")

  useTools(client, {
    read_notes: {
      title: "Read the notes",
      description: "What stands in this page's notes.",
      schema: z.object({}),
      annotations: { readOnlyHint: true },
      execute: () => notes,
    },
    write_note: {
      title: "Write a note",
      description: "Add a line to this page's notes.",
      schema: z.object({ text: z.string().trim().min(1).max(200) }),
      execute({ text }) {
        setNotes((now) => `${now}\n${text}`.trim().slice(-MAX_LENGTH))
        return "Noted."
      },
    },
  })

  return (
    <Card
      title="Notes"
      aside={<ServingState client={client} isServing isTaken={false} />}
      footer={<ToolChips client={client} names={FUNCTIONS} />}
    >
      <label className="field">
        <span>Served within this page alone, as notes</span>
        <textarea rows={6} maxLength={MAX_LENGTH} value={notes} onChange={(event) => setNotes(event.target.value)} />
      </label>
    </Card>
  )
}

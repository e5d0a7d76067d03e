import { useReducer } from "react"
import { type ToolClient, useToolContext, useTools } from "react-tool-client"
import { z } from "zod"
import { Card } from "../ui/Card.tsx"
import { Icon } from "../ui/Icon.tsx"
import { ToolChips } from "../ui/ToolChips.tsx"
import { FIRST_PALETTE, MAX_SWATCHES, paletteReducer } from "./palette.ts"
import styles from "./webmcp.module.css"

const TOOLS = ["read_palette", "mix_color", "remove_color"]

/** Colours that a person and the browser's agent may change. */
export function PaletteCard({ client }: { readonly client: ToolClient }) {
  const [palette, dispatch] = useReducer(paletteReducer, FIRST_PALETTE)
  const names = palette.map(({ name }) => name)

  useToolContext(client, "read_palette", {
    title: "Read the palette",
    description: "The colours of the palette, each with its name and its hex code.",
    read: () => palette,
  })

  useTools(client, {
    mix_color: {
      title: "Mix a colour",
      description: "Add a colour to the palette, or change the one of that name.",
      schema: z.object({
        name: z.string().trim().min(1).max(20),
        hex: z.string().regex(/^#[0-9a-f]{6}$/i, "six hex digits after #").describe("Such as #c2703d"),
      }),
      execute(swatch) {
        if (palette.length >= MAX_SWATCHES && !names.includes(swatch.name)) return { text: "The palette is full: remove a colour first.", is_error: true }
        dispatch({ type: "mixed", swatch })
        return `${swatch.name} is ${swatch.hex}.`
      },
    },
    remove_color: {
      title: "Remove a colour",
      description: "Take a colour off the palette.",
      // The schema names what there is: it is registered anew with the palette.
      schema: z.object({ name: z.enum(names) }),
      enabled: names.length > 0,
      annotations: { destructiveHint: true },
      execute({ name }) {
        dispatch({ type: "removed", name })
        return `${name} is removed.`
      },
    },
  })

  return (
    <Card title="Palette" aside={palette.length === 1 ? "1 colour" : `${palette.length} colours`} footer={<ToolChips client={client} names={TOOLS} />}>
      <ul className={styles.palette} aria-label="Colours">
        {palette.map(({ name, hex }) => (
          <li key={name}>
            <input
              type="color"
              aria-label={`Colour of ${name}`}
              value={hex}
              onChange={(event) => dispatch({ type: "mixed", swatch: { name, hex: event.target.value } })}
            />
            <span className={styles.swatch}>
              <strong>{name}</strong>
              <code>{hex}</code>
            </span>
            <button type="button" className="icon-button" aria-label={`Remove ${name}`} onClick={() => dispatch({ type: "removed", name })}>
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      {palette.length === 0 && <p className="empty">No colours. The agent is offered no tool to remove any.</p>}
    </Card>
  )
}

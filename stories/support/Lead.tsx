import type { JSX } from "react"

interface StoryParameters {
  readonly layout?: string
  readonly docs?: { readonly description?: { readonly story?: string } }
}

/** A story's own comment, as a paragraph. */
export function Lead({ parameters }: { readonly parameters: object }): JSX.Element | null {
  const { layout, docs } = parameters as StoryParameters
  const text = docs?.description?.story
  if (text === undefined) return null
  return (
    <p className={layout === "fullscreen" ? "story-lead is-fullscreen" : "story-lead"}>
      {text.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}
    </p>
  )
}

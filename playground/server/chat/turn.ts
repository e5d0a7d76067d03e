import type { LanguageModel } from "ai"

type Request = Parameters<Extract<LanguageModel, { readonly specificationVersion: "v3" }>["doStream"]>[0]

/** A call that was made since the person spoke, and its answer. */
export interface Done {
  /** The page's own name of it: `add_todo`. */
  readonly tool: string
  readonly text: string
  readonly isError: boolean
}

/** What a script goes by: what the person said last, and what came of it so far. */
export interface Turn {
  readonly said: string
  readonly done: readonly Done[]
  /** The page's own names of what it offers now. */
  readonly offered: readonly string[]
  /** What the model calls it by; undefined while it is not offered. */
  nameOf(tool: string): string | undefined
  /** The values that a tool's argument may have, where its schema lists them. */
  choicesOf(tool: string, argument: string): readonly string[]
}

/** `client__web__add_todo` is the page's `add_todo`. */
const ownName = (name: string): string => /^client__.+?__(.+)$/.exec(name)?.[1] ?? name

function textOf(output: unknown): string {
  const { value } = output as { readonly value?: unknown }
  return typeof value === "string" ? value : JSON.stringify(value)
}

/** @param clientName - Of two pages that offer the same tool, this one is meant. */
export function turnOf(prompt: Request["prompt"], tools: NonNullable<Request["tools"]>, clientName: string): Turn {
  const from = prompt.findLastIndex(({ role }) => role === "user")
  const last = prompt[from]
  const said = last?.role === "user" ? last.content.map((part) => (part.type === "text" ? part.text : "")).join("\n") : ""
  const done = prompt.slice(from).flatMap((message) =>
    message.role === "tool"
      ? message.content.flatMap((part) => {
          if (part.type !== "tool-result") return []
          return { tool: ownName(part.toolName), text: textOf(part.output), isError: part.output.type.startsWith("error") }
        })
      : [],
  )
  const functions = tools.flatMap((tool) => (tool.type === "function" ? tool : []))
  const isMine = ({ name }: { readonly name: string }): boolean => name.startsWith(`client__${clientName}__`)
  const find = (tool: string) => {
    const all = functions.filter(({ name }) => ownName(name) === tool)
    return all.find(isMine) ?? all[0]
  }
  return {
    said: said.trim(),
    done,
    offered: [...new Set(functions.map(({ name }) => ownName(name)))],
    nameOf: (tool) => find(tool)?.name,
    choicesOf(tool, argument) {
      const property = find(tool)?.inputSchema.properties?.[argument]
      return typeof property === "object" && Array.isArray(property.enum) ? property.enum.filter((value) => typeof value === "string") : []
    },
  }
}

import type { ErrorHandler } from "../lib/callSafely.ts"
import { errorText } from "../lib/errorText.ts"
import { notice } from "../lib/notice.ts"
import { canonicalJson } from "../tool/canonicalJson.ts"
import { checkTool } from "../tool/checkTool.ts"
import { misspeltOptions } from "../tool/misspeltOptions.ts"
import { isWritten } from "../tool/parameters.ts"
import { modelToolName, nameFits } from "../tool/names.ts"
import { sameSchema } from "../tool/sameSchema.ts"
import type { AnyTool } from "../tool/tool.ts"
import type { ToolSpec } from "../tool/toolSpec.ts"
import { ToolDefinitionError } from "../tool/toolDefinitionError.ts"

/**
 * Where a declared tool comes from, and who owns it: a component, or the client itself. What it is now is asked for at each flush and
 * at each call, so nothing captured can go stale.
 */
export interface ToolSource {
  /** Its place in the stack of those that declare one name: the highest serves. Belongs to the owner, so a re-declared one keeps its place. */
  readonly rank: number
  /** Resolves when what was set to be rendered is committed: awaited after `execute`, before its answer. @default nobody renders */
  readonly committed?: (() => Promise<void>) | undefined
  /** The definition that holds now. */
  current(): AnyTool
}

/** One tool as the other side is told of it, with the text by which two are compared; it is written when it is first asked for. */
export interface Offer {
  readonly spec: ToolSpec
  readonly key: string
}

function offerOf(spec: ToolSpec): Offer {
  let key: string | undefined
  return {
    spec,
    get key() {
      return (key ??= canonicalJson(spec))
    },
  }
}

export type Offers = ReadonlyMap<string, Offer>

export type Lookup = { readonly status: "serving"; readonly tool: AnyTool; readonly committed: ToolSource["committed"] } | { readonly status: "disabled" | "unknown" }

/** Copied, since a definition may be changed in place and declared again. What is not published only has to be what it may be. */
const faceOf = ({ execute, parse, enabled, description, title, annotations, schema, parameters, output, timeout, concurrency, maxResultBytes }: Partial<AnyTool>) => ({
  execute: typeof execute,
  parse: typeof parse,
  enabled: typeof enabled,
  description,
  title,
  annotations,
  schema,
  parameters,
  output,
  timeout,
  concurrency,
  maxResultBytes,
})

/** What of a definition is checked and published; the rest is only swapped. */
type Face = ReturnType<typeof faceOf>

/** A tool that is left out, and why. */
export interface ToolRefusal {
  readonly status: "refused"
  readonly error: unknown
}

/** One owner of a name: what it declared, and what became of that. */
export interface Declared {
  readonly source: ToolSource
  /** Hears what is wrong with it. */
  readonly onError: ErrorHandler
  readonly name: string
  /** What the definition was when it was described last. */
  seen: Face | undefined
  /** As it was when it was described: asking again might throw. */
  isEnabled: boolean
  /** Missing where it was refused. */
  offer: Offer | undefined
  refusal: ToolRefusal | undefined
}

/** What a tool client should offer: for each name a stack of owners, of which the last mounted, enabled and sound one serves. */
export interface Declaration {
  /** All owners by name, the one of the highest rank last. */
  readonly stacks: ReadonlyMap<string, readonly Declared[]>
  /** Never throws: a definition that is refused is reported at the next `offers()` and left out. Returns its withdrawal. */
  add(source: ToolSource, name: string, onError?: ErrorHandler): () => void
  /** Tells whoever declared the tool that serves under `name` what is wrong with it. */
  tell(name: string, error: unknown): void
  /** The definitions of those who declare the name may be others now. */
  touch(name: string): void
  /** The name by which the other side knows the client; its suffix may make a tool's name too long. */
  rename(registeredName: string): void
  /** The set to publish. The same object as before where nothing changed. */
  offers(): Offers
  lookup(name: string): Lookup
}

/** @param spec - What was published of the one. */
const sameFace = (one: Face, other: Face, spec: ToolSpec): boolean =>
  one.execute === other.execute &&
  one.parse === other.parse &&
  one.enabled === other.enabled &&
  one.description === other.description &&
  one.title === other.title &&
  one.timeout === other.timeout &&
  one.concurrency === other.concurrency &&
  one.maxResultBytes === other.maxResultBytes &&
  sameSchema(one.schema, other.schema) &&
  (one.parameters === other.parameters || isWritten(spec.parameters, other.parameters)) &&
  sameSchema(one.annotations, other.annotations) &&
  sameSchema(one.output, other.output)

export const sameOffer = (one: Offer | undefined, other: Offer | undefined): boolean => one === other || (!!one && one.key === other?.key)

export function createDeclaration(clientName: string, onError: ErrorHandler): Declaration {
  const stacks = new Map<string, Declared[]>()
  const dirty = new Set<string>()
  const noticed = new Set<string>()
  let registeredName = clientName
  let offers: Offers = new Map()

  function describe(entry: Declared): void {
    const { seen } = entry
    entry.seen = undefined
    try {
      const tool = entry.source.current()
      // Read as if nothing were known: a caller without types may have given anything.
      const face = faceOf(tool ?? {})
      entry.seen = face
      entry.isEnabled = (tool as AnyTool | null | undefined)?.enabled !== false
      if (seen && entry.offer && sameFace(seen, face, entry.offer.spec)) return
      // A refused one comes with each render.
      if (!seen && !entry.refusal) notice(() => process.env.NODE_ENV !== "production" && misspeltOptions(entry.name, tool))
      const spec = checkTool(clientName, entry.name, tool)
      if (!nameFits(registeredName, entry.name)) {
        throw new ToolDefinitionError("name_too_long", entry.name, `the server calls this client "${registeredName}", and "${modelToolName(registeredName, entry.name)}" is longer than models accept; shorten one of the two`)
      }
      const offer = offerOf(spec)
      if (!sameOffer(entry.offer, offer)) entry.offer = offer
      entry.refusal = undefined
    } catch (error) {
      entry.offer = undefined
      // Each render brings the same mistake again; it is told once.
      if (entry.refusal && errorText(entry.refusal.error) === errorText(error)) return
      entry.refusal = { status: "refused", error }
      entry.onError(error)
    }
  }

  const serving = (stack: readonly Declared[]): Declared | undefined =>
    stack.findLast((entry) => entry.offer && entry.isEnabled)

  function refresh(): void {
    let next: Map<string, Offer> | undefined
    for (const name of dirty) {
      const stack = stacks.get(name) ?? []
      for (const entry of stack) describe(entry)
      const offer = serving(stack)?.offer
      if (!sameOffer((next ?? offers).get(name), offer)) {
        next ??= new Map(offers)
        if (offer) next.set(name, offer)
        else next.delete(name)
      }
      if (stack.length > 1 && stack.filter((entry) => entry.isEnabled).length > 1 && !noticed.has(name)) {
        noticed.add(name)
        notice(() => process.env.NODE_ENV !== "production" && `two components offer the tool "${name}" of the client "${clientName}"; the one mounted last serves, and the other serves again when it unmounts.`)
      }
    }
    dirty.clear()
    if (next) offers = next
  }

  return {
    stacks,
    add(source, name, hear = onError) {
      const entry: Declared = { source, name, onError: hear, seen: undefined, isEnabled: false, offer: undefined, refusal: undefined }
      const stack = stacks.get(name) ?? []
      stacks.set(name, stack)
      // Asked for although it may be the only one: it is mounted now.
      const { rank } = source
      stack.splice(stack.findLastIndex((other) => other.source.rank <= rank) + 1, 0, entry)
      dirty.add(name)
      return () => {
        const index = stack.indexOf(entry)
        if (index < 0) return
        stack.splice(index, 1)
        if (stack.length === 0 && stacks.get(name) === stack) stacks.delete(name)
        dirty.add(name)
      }
    },
    tell: (name, error) => (serving(stacks.get(name) ?? [])?.onError ?? onError)(error),
    touch(name) {
      if (stacks.has(name)) dirty.add(name)
    },
    rename(name) {
      if (name === registeredName) return
      registeredName = name
      for (const [toolName, stack] of stacks) {
        dirty.add(toolName)
        for (const entry of stack) entry.seen = undefined
      }
    },
    offers() {
      refresh()
      return offers
    },
    lookup(name) {
      refresh()
      const stack = stacks.get(name)
      if (!stack) return { status: "unknown" }
      const entry = serving(stack)
      return entry ? { status: "serving", tool: entry.source.current(), committed: entry.source.committed } : { status: "disabled" }
    },
  }
}

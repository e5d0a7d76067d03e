import { ToolError } from "./toolError.ts"

/** What names an action: the pair of ids. */
export interface ActionId {
  readonly providerId: string
  readonly actionId: string
}

/** Words that no function can be called by in a script (ECMA-262, "Keywords and reserved words", strict mode), and what objects inherit. */
const RESERVED = new Set(
  (
    "await break case catch class const continue debugger default delete do else enum export extends false finally for function if import in " +
    "instanceof new null return super switch this throw true try typeof var void while with yield let static implements interface package " +
    "private protected public arguments eval undefined NaN Infinity constructor __proto__ prototype toString valueOf hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString then toJSON"
  ).split(" "),
)

/** Camel case of `{providerId}_{actionId}`: letters and digits of ASCII, a lower-case letter first. */
function camelCase({ providerId, actionId }: ActionId): string {
  const words = `${providerId}_${actionId}`.split(/[^A-Za-z0-9]+/).filter(Boolean)
  const name = words.map((word, index) => (index === 0 ? word[0]?.toLowerCase() : word[0]?.toUpperCase()) + word.slice(1)).join("")
  // All of another script: nothing is left to call it by.
  if (name === "") return "action"
  return /^\d/.test(name) || RESERVED.has(name) ? `action${name[0]?.toUpperCase()}${name.slice(1)}` : name
}

/** Whether a script can call a function by this name, and no object has it already. */
export const isCallable = (name: string): boolean => /^[A-Za-z_$][\w$]*$/.test(name) && !RESERVED.has(name)

/** Whether a name is one that {@link allocateActionNames} gives: code can call it, and no object inherits it. */
export const isActionName = (name: string): boolean => /^[a-z][A-Za-z0-9]*(_[1-9]\d*)?$/.test(name) && isCallable(name)

/**
 * The one place where actions get the names they are called by: `demo_add` is `demoAdd`, and of those that collide the later ones get
 * `_2`, `_3`. Names go to actions in the order given, so further actions at the end change no name before them.
 *
 * @returns a name for each id, in the same order; all different, all valid identifiers
 * @throws ToolError `bad_name` when one pair of ids stands twice
 */
export function allocateActionNames(ids: readonly ActionId[]): readonly string[] {
  const taken = new Set<string>()
  /** By name: the number that the next one of it tries first. Ids of another script all have one name. */
  const counts = new Map<string, number>()
  const seen = new Set<string>()
  return ids.map((id) => {
    const key = JSON.stringify([id.providerId, id.actionId])
    if (seen.has(key)) throw new ToolError("bad_name", `${id.providerId}.${id.actionId}`, "the same provider has two actions of this id; rename one")
    seen.add(key)
    const base = camelCase(id)
    let name = base
    let count = counts.get(base) ?? 2
    while (taken.has(name)) name = `${base}_${count++}`
    counts.set(base, count)
    taken.add(name)
    return name
  })
}

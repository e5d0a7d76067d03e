import { type SessionCopy, withFields } from "./sessionFields.ts"

/** What a script has said that a session is. */
export interface Told {
  /** null: there is no such session. */
  readonly copy: SessionCopy | null
}

function* pairs(flat: readonly string[]): Generator<readonly [string, string]> {
  for (let index = 0; index + 1 < flat.length; index += 2) yield [flat[index] ?? "", flat[index + 1] ?? ""]
}

/** Reads the answer of `tell` in `redisScripts.ts`, which was asked with what `before` is. */
export function readTold(before: SessionCopy | undefined, answer: unknown): Told {
  const [kind, life = "", version = "", last = "", fields = []] = answer as [kind: string, life?: string, version?: string, last?: string, fields?: string[]]
  if (kind === "none") return { copy: null }
  if (kind === "same" && before) return { copy: before }
  return { copy: { life, version, last, ...withFields(kind === "part" ? before : undefined, pairs(fields)) } }
}

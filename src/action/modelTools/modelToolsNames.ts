/** A name that the provider takes, and no other tool has. */
export function nameOf(name: string, rule: RegExp, taken: ReadonlyMap<string, unknown>): string {
  if (rule.test(name) && !taken.has(name)) return name
  const base = name.replace(/[^\w-]/g, "_").replace(/^(?![A-Za-z_])/, "_")
  for (let count = 1; ; count++) {
    const suffix = count === 1 ? "" : `_${count}`
    const tried = base.slice(0, MODEL_NAME_LENGTH - suffix.length) + suffix
    if (!taken.has(tried)) return tried
  }
}

/** What all of these providers take, in characters. */
const MODEL_NAME_LENGTH = 64

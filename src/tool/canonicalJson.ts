/**
 * Writes a JSON value with the keys of its objects sorted, so that two values are equal exactly when their texts are. Properties
 * that are `undefined` count as absent. For values that are JSON already: it looks for no cycle and asks no `toJSON`.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null"
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join()}]`
  const object = value as Readonly<Record<string, unknown>>
  const entries = Object.keys(object)
    .filter((key) => object[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(object[key])}`)
  return `{${entries.join()}}`
}

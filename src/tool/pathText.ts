/** The longest text of a path, in characters. */
const PATH_MAX_LENGTH = 200

/** Cuts a text that is longer than `length` characters, and shows that it did. */
export const shorten = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}...` : text)

/** Writes a path as JavaScript would: `items[2].qty`, `["first name"]`; `[]` and `*` stand for any item and any property. */
export function pathText(path: readonly PropertyKey[]): string {
  let text = ""
  for (const key of path) {
    if (text.length > PATH_MAX_LENGTH) break
    if (typeof key === "number" || key === "*") text += `[${key}]`
    else if (key === "[]") text += key
    else if (typeof key === "symbol") text += `[${String(key)}]`
    else text += /^[\w$]+$/.test(key) && !/^\d/.test(key) ? `${text && "."}${key}` : `[${JSON.stringify(key)}]`
  }
  return shorten(text, PATH_MAX_LENGTH)
}

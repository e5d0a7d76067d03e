/** The longest text of a path, in characters. */
const PATH_MAX_LENGTH = 200

/** Cuts a text that is longer than `length` characters, and shows that it did. */
export const shorten = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}...` : text)

const segmentText = (key: PropertyKey): string =>
  typeof key !== "string" || key === "*" ? `[${String(key)}]` : key === "[]" ? key : /^[a-z_$][\w$]*$/i.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`

/** Writes a path as JavaScript would: `items[2].qty`, `["first name"]`; `[]` and `*` stand for any item and any property. */
export const pathText = (path: readonly PropertyKey[]): string =>
  shorten(path.map(segmentText).join("").replace(/^\./, ""), PATH_MAX_LENGTH)

/** The URL that a text is, `undefined` where it is none. What `URL.parse` does, which browsers have since 2024 only. */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}

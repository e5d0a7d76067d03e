/** What was thrown, as one line of text. Never throws, also where the value cannot be written: by no `toString`, or by one that throws. */
export function errorText(thrown: unknown): string {
  try {
    return String(thrown)
  } catch {
    return "no text"
  }
}

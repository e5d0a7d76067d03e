/**
 * Tells a developer on the console; silent in production.
 *
 * @param text - `() => process.env.NODE_ENV !== "production" && "..."`, written out where it is told: an application's bundler replaces the
 * expression, and a production bundle has no text. Where nothing does and there is no `process`, it throws, and nobody is developing.
 */
export function notice(text: () => string | false, ...details: readonly unknown[]): void {
  try {
    const said = text()
    if (said) console.warn(`react-tool-client: ${said}`, ...details)
  } catch {
    // Nobody is developing.
  }
}

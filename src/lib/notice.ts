/**
 * Whether what only a developer needs is said: a constant that a bundler for production makes `false`, so that texts behind it are not in
 * its bundle. Where nothing replaces the expression and there is no `process`, nobody is developing.
 */
export const isDevelopment = typeof process === "undefined" ? false : process.env.NODE_ENV !== "production"

/** Tells a developer on the console; silent in production. Called behind `isDevelopment`, else its text is in every bundle. */
export function notice(message: string, ...details: readonly unknown[]): void {
  if (isDevelopment) console.warn(`react-tool-client: ${message}`, ...details)
}

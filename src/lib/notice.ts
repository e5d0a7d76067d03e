/** Bundlers replace the expression; where nothing does and there is no `process`, it throws and nobody is developing. */
const isDevelopment = ((): boolean => {
  try {
    return process.env.NODE_ENV !== "production"
  } catch {
    return false
  }
})()

/** Tells a developer on the console; silent in production. */
export function notice(message: string, ...details: readonly unknown[]): void {
  if (isDevelopment) console.warn(`react-tool-client: ${message}`, ...details)
}

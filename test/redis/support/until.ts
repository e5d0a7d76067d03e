/** How long a test waits for what must come, in milliseconds: far longer than it takes. */
const PATIENCE_MS = 20_000

/** Waits until `condition` holds, and says which did not. */
export async function until(condition: () => boolean | Promise<boolean>, what: string = condition.toString()): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !(await condition()); ) {
    if (Date.now() > end) throw new Error(`It did not come to pass: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

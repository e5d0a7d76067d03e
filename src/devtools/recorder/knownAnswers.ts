// Of some answers only their text tells what they are: the client's own words, as it begins them.

/** The tool's validation refused the arguments (src/tool/arguments.ts). */
export const isRefusal = (tool: string, text: string): boolean => text.startsWith(`"${tool}" did not run, its arguments were refused:`)

/** The tool's own `timeout`, and the server's deadline (src/toolClient/runningCall.ts). */
const TIME_IS_UP = [": it took longer than the ", ": the deadline for its answer has come."]

/** The call was aborted because its time was up. */
export function isTimeout(tool: string, text: string): boolean {
  const begin = `The call of "${tool}" was aborted`
  return text.startsWith(begin) && TIME_IS_UP.some((reason) => text.startsWith(reason, begin.length))
}

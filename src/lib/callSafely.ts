/** Hears an error that has nobody else to go to. */
export type ErrorHandler = (error: unknown) => void

/** The last resort: the console, where a developer looks first. */
export const reportToConsole: ErrorHandler = (error) => {
  console.error(error)
}

/** Calls back into a user's code; whatever it throws goes to `onError`, and a throwing `onError` goes to the console. */
export function callSafely<Argument>(
  callback: (argument: Argument) => unknown,
  argument: Argument,
  onError: ErrorHandler,
): void {
  try {
    const result = callback(argument)
    if (result instanceof Promise) result.catch(onError === reportToConsole ? onError : (error: unknown) => callSafely(onError, error, reportToConsole))
  } catch (error) {
    if (onError === reportToConsole) reportToConsole(error)
    else callSafely(onError, error, reportToConsole)
  }
}

/** How many tasks run outside of `act` right now, and what the environment was before the first. */
let running = 0
let before: boolean | undefined

/**
 * Runs what an agent does to a page as React runs it there: renders come by themselves and are waited for, so in an environment that
 * asks for `act` (React Testing Library's) React must not warn that they were not wrapped.
 */
export async function outsideAct<Value>(task: () => Promise<Value>): Promise<Value> {
  const environment = globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean | undefined }
  if (running++ === 0) {
    before = environment.IS_REACT_ACT_ENVIRONMENT
    environment.IS_REACT_ACT_ENVIRONMENT = false
  }
  try {
    return await task()
  } finally {
    if (--running === 0) environment.IS_REACT_ACT_ENVIRONMENT = before
  }
}

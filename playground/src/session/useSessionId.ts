import { useEffect, useState } from "react"
import type { BackEnd } from "./backEnd.ts"

interface Joined {
  /** `null` until it is known. */
  readonly sessionId: string | null
  /** Why it could not be had. */
  readonly error: Error | null
}

const UNKNOWN: Joined = { sessionId: null, error: null }

/** The id of the page's session, once the back end has given one. */
export function useSessionId(backEnd: BackEnd): Joined & { retry(this: void): void } {
  const [joined, setJoined] = useState(UNKNOWN)
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    let isCurrent = true
    backEnd.joinSession().then(
      (sessionId) => isCurrent && setJoined({ sessionId, error: null }),
      (error: Error) => isCurrent && setJoined({ sessionId: null, error }),
    )
    return () => {
      isCurrent = false
    }
  }, [backEnd, attempt])
  return {
    ...joined,
    retry() {
      setJoined(UNKNOWN)
      setAttempt((count) => count + 1)
    },
  }
}

import { useEffect, useState, useSyncExternalStore } from "react"
import type { History } from "../recorder/history.ts"
import type { Recorder } from "../recorder/recorder.ts"

/** Milliseconds between two looks at the clock while something is in flight. */
const TICK_MS = 100

export function useHistory(recorder: Recorder): History {
  const state = (): History => recorder.state
  return useSyncExternalStore(recorder.subscribe, state, state)
}

/** The session's time: of the last snapshot, and moving while `isMoving`. */
export function useNow(recorder: Recorder, isMoving: boolean): number {
  const [now, setNow] = useState(recorder.now)
  useEffect(() => {
    const look = (): void => setNow(recorder.now())
    look()
    if (!isMoving) return undefined
    const timer = setInterval(look, TICK_MS)
    return () => clearInterval(timer)
  }, [recorder, isMoving])
  return now
}

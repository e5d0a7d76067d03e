import { useContext } from "react"
import { fewTurns } from "./commitBeacon.ts"
import { SessionContext } from "./sessionContext.ts"

/** What tells when React has committed what was set so far: the provider's beacon, or without one a few turns of the event loop. The same function at each render. */
export const useCommitted = (): (() => Promise<void>) => useContext(SessionContext)?.beacon.committed ?? fewTurns

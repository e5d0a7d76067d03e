import { createContext, useContext } from "react"
import { fewTurns } from "./commitBeacon.ts"

/** Apart from the session's context, so that a component with a tool does not render when the client is there. */
export const CommittedContext = createContext(fewTurns)

/** What tells when React has committed what was set so far: the provider's beacon, or without one a few turns of the event loop. The same function at each render. */
export const useCommitted = (): (() => Promise<void>) => useContext(CommittedContext)

import { createContext, useContext } from "react"
import type { HubClient } from "../hub/hubClient.ts"

export const HubContext = createContext<HubClient | null>(null)

/** @throws Error outside a provider */
export function useHubContext(hook: string): HubClient {
  const hub = useContext(HubContext)
  if (hub) return hub
  throw new Error(`${hook} needs a <HubProvider hub={...}> above it.`)
}

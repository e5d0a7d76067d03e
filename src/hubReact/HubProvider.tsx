import type { JSX, ReactNode } from "react"
import type { HubClient } from "../hub/hubClient.ts"
import { HubContext } from "./hubContext.ts"

export interface HubProviderProps {
  /** From `createHubClient`; make it once, outside of components. It is yours to close. */
  readonly hub: HubClient
  readonly children?: ReactNode
}

/** Gives the hub client to the hooks below it. Renders on the server too, and connects nothing there. */
export const HubProvider = ({ hub, children }: HubProviderProps): JSX.Element => (
  <HubContext.Provider value={hub}>{children}</HubContext.Provider>
)

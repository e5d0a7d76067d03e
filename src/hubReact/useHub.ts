import type { HubClient } from "../hub/hubClient.ts"
import { useHubContext } from "./hubContext.ts"

/**
 * The hub client of the provider above. It is a session: `useToolClient(useHub(), "weather-service")` serves a remote, and
 * `useSessionState(useHub())` tells how the connection stands.
 *
 * @throws Error outside a `HubProvider`.
 */
export const useHub = (): HubClient => useHubContext("useHub")

"use client"

/** `react-tool-client/hub/react`: the hub's hooks. */
export { HubProvider, type HubProviderProps } from "./HubProvider.tsx"
export { useHub } from "./useHub.ts"
export { useLocalRemote } from "./useLocalRemote.ts"

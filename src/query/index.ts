"use client"

/** `react-tool-client/query`: what the hub knows, on @tanstack/react-query. */
export { REMOTES_KEY, remotesQueryOptions } from "./remotesQueryOptions.ts"
export { type RemoteCallVariables, useRemoteCall } from "./useRemoteCall.ts"
export { useRemotes } from "./useRemotes.ts"

"use client"

/** `react-tool-client/query`: what sessions, hubs and action hosts know, on @tanstack/react-query. */
export type { ActionState } from "./actionState.ts"
export { MANIFEST_KEY, manifestQueryOptions } from "./manifestQueryOptions.ts"
export { REMOTES_KEY, remotesQueryOptions } from "./remotesQueryOptions.ts"
export { SESSION_CALLS_KEY, type SessionCall, sessionCallsQueryOptions } from "./sessionCallsQueryOptions.ts"
export { SESSION_TOOLS_KEY, type SessionTool, sessionToolsQueryOptions } from "./sessionToolsQueryOptions.ts"
export type { SessionSource } from "./toolClientsOf.ts"
export { type ActionHandle, useAction, type UseActionOptions } from "./useAction.ts"
export { useActionTools } from "./useActionTools.ts"
export { type RemoteCallVariables, useRemoteCall } from "./useRemoteCall.ts"
export { useRemotes } from "./useRemotes.ts"

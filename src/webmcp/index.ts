"use client"

/** `react-tool-client/webmcp`: the same tools for the browser's own agent. */
export { createLocalSession, type LocalSessionOptions } from "./createLocalSession.ts"
export type { MirrorOptions } from "./mirror.ts"
export { mirrorToModelContext } from "./mirrorToModelContext.ts"
export { WebMcpError, type WebMcpErrorCode, type WebMcpErrorOptions } from "./webMcpError.ts"
export { WebMcpMirror, type WebMcpMirrorProps } from "./WebMcpMirror.tsx"

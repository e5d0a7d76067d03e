"use client"

export type { ToolDevtoolsProps } from "./DevtoolsShell.tsx"
export { ToolDevtools } from "./ToolDevtools.ts"

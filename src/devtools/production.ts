"use client"

export { DevtoolsShell as ToolDevtools, type ToolDevtoolsProps } from "./DevtoolsShell.tsx"

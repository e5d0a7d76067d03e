import { useEffect, useState } from "react"
import { modelContextOf, type RegisteredTool } from "./modelContext.ts"

/** The tools of the document as the browser has them; `null` where it has no place for any, or has not told yet. */
export function useRegisteredTools(): readonly RegisteredTool[] | null {
  const [tools, setTools] = useState<readonly RegisteredTool[] | null>(null)
  useEffect(() => {
    const context = modelContextOf()
    if (!context) return
    let isCurrent = true
    let reads = 0
    const read = async (): Promise<void> => {
      const mine = ++reads
      const found = await context.getTools().catch(() => [])
      // One event a registration: of many reads the last one counts.
      if (isCurrent && mine === reads) setTools(found)
    }
    const onChange = (): void => void read()
    context.addEventListener("toolchange", onChange)
    onChange()
    return () => {
      isCurrent = false
      context.removeEventListener("toolchange", onChange)
    }
  }, [])
  return tools
}

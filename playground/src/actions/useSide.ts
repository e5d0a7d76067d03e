import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { type ActionHandle, manifestQueryOptions, useAction } from "react-tool-client/query"
import type { ActionClient, ToolItem } from "react-tool-client/tools"
import { measured } from "./measured.ts"
import { useItems } from "./useItems.ts"

/** One of the two ways to call an action. */
export interface Side extends ActionHandle<unknown, unknown> {
  /** How long the last call took, in milliseconds; `null` before the first. */
  readonly ms: number | null
  readonly items: readonly ToolItem[]
}

export function useSide(client: ActionClient, functionName: string): Side {
  const [ms, setMs] = useState<number | null>(null)
  const queryClient = useQueryClient()
  const [timed] = useState(() => ({
    ...measured(client, setMs),
    // A client of its own to the cache, with the manifest of the one that it measures.
    manifest: () => queryClient.ensureQueryData(manifestQueryOptions(client)),
  }))
  const { items, list } = useItems()
  const action = useAction(timed, functionName, { items })
  return { ...action, ms, items: list }
}

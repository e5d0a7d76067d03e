import { createContext, type ReactNode, useContext, useEffect } from "react"
import { type Session, type ToolClient, type ToolClientOptions, useTool, useToolClient, useToolClientState } from "react-tool-client"
import { z } from "zod"

const ClientContext = createContext<ToolClient | null>(null)

/** A component that owns a tool client. */
export function Web({
  session,
  name = "web",
  options = {},
  children,
}: {
  readonly session: Session | null | undefined
  readonly name?: string
  readonly options?: ToolClientOptions
  readonly children?: ReactNode
}) {
  const client = useToolClient(session, name, options)
  return <ClientContext.Provider value={client}>{children}</ClientContext.Provider>
}

export const useWeb = (): ToolClient | null => useContext(ClientContext)

/** A component that offers one tool, everything inline; its answer is `says`. */
export function Offer({
  name,
  description,
  says,
  enabled,
}: {
  readonly name: string
  readonly description?: string
  readonly says?: string
  readonly enabled?: boolean
}) {
  useTool(useWeb(), name, {
    description: description ?? `Does ${name}.`,
    schema: z.object({ id: z.string().optional() }),
    enabled,
    execute: ({ id }) => [says ?? `${name} ran`, id].filter(Boolean).join(" "),
  })
  return null
}

/** Shows where the client stands. */
export function Status() {
  return useToolClientState(useWeb(), (state) => state.status)
}

/** Tells how the client's `ready` ended: `"ready"`, or its error. */
export function Ready({ onSettled }: { readonly onSettled: (outcome: unknown) => void }) {
  const client = useWeb()
  useEffect(() => {
    client?.ready.then(() => onSettled("ready"), onSettled)
  })
  return null
}

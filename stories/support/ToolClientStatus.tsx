import type { JSX } from "react"
import { type ToolClient, useToolClientState } from "react-tool-client"
import { badgeTone } from "./badgeTone.ts"

/** What a page shows of what it offers. */
export function ToolClientStatus({ client }: { readonly client: ToolClient }): JSX.Element {
  const { status, name, tools, error } = useToolClientState(client)
  return (
    <section aria-label={`Tool client ${client.name}`}>
      <h2>{`Tool client “${client.name}”`}</h2>
      <dl>
        <dt>status</dt>
        <dd>
          <output className={badgeTone(status)}>{status}</output>
        </dd>
        <dt>name at the server</dt>
        <dd>{name ?? "none yet"}</dd>
        <dt>live tools</dt>
        <dd>{tools.join(", ") || "none"}</dd>
        {error instanceof Error && (
          <>
            <dt>error</dt>
            <dd>{error.message}</dd>
          </>
        )}
      </dl>
    </section>
  )
}

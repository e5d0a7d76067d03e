"use client"

import { useState } from "react"
import { createSessionClient, SessionProvider, useSession, useSessionState, useTool, useToolClient } from "react-tool-client"
import { z } from "zod"

interface ShoppingListProps {
  sessionId: string
  getToken: () => Promise<string>
}

export function ShoppingList({ sessionId, getToken }: ShoppingListProps) {
  const [client] = useState(() => createSessionClient({ baseUrl: "/", getToken }))
  return (
    <SessionProvider client={client}>
      <Items sessionId={sessionId} />
    </SessionProvider>
  )
}

function Items({ sessionId }: { sessionId: string }) {
  const [items, setItems] = useState(["Bread"])
  const session = useSession(sessionId)
  const { status } = useSessionState(session)
  const tools = useToolClient(session, "list")

  useTool(tools, "add_item", {
    description: "Put an item on the shopping list.",
    schema: z.object({ name: z.string().min(1).describe("What to buy") }),
    execute: ({ name }) => {
      setItems((before) => [...before, name])
      return `"${name}" is on the list now.`
    },
  })

  return (
    <>
      <ul>
        {items.map((item, at) => (
          <li key={at}>{item}</li>
        ))}
      </ul>
      <p>
        Session <code data-testid="session-id">{sessionId}</code>: {status}
      </p>
    </>
  )
}

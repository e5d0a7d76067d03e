import { StrictMode, useState } from "react"
import { createRoot } from "react-dom/client"
import { createSessionClient, SessionProvider, useSession, useTool, useToolClient } from "react-tool-client"
import { z } from "zod"

const params = new URLSearchParams(location.hash.slice(1))
const client = createSessionClient({ baseUrl: params.get("server") ?? "", getToken: () => params.get("token") ?? "" })

function Color() {
  const [color, setColor] = useState("red")
  const tools = useToolClient(useSession(params.get("session")), "web")
  useTool(tools, "set_color", {
    description: "Set the color.",
    schema: z.object({ color: z.string() }),
    execute: ({ color: next }) => {
      setColor(next)
      return `It was ${color} and is ${next}.`
    },
  })
  return <output>{color}</output>
}

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <SessionProvider client={client}>
      <Color />
    </SessionProvider>
  </StrictMode>,
)

// Server, client and agent in one process, from the installed package.
import { createSessionClient } from "react-tool-client/client"
import { createSessionServer, serve } from "react-tool-client/server"

const server = createSessionServer({ secret: "a secret of thirty-two bytes, at least" })
const served = await serve(server)
const { id, token } = await server.createSession()

const session = createSessionClient({ baseUrl: served.url, getToken: () => token }).open(id)
const client = session.createToolClient("job")
client.addTool("greet", {
  description: "Greets.",
  parameters: { type: "object", properties: { name: { type: "string" } } },
  execute: (/** @type {{ name: string }} */ { name }) => `Hello ${name}`,
})
await client.ready
const { text } = await server.callTool(id, "client__job__greet", { name: "Ada" })
console.log(`answered: ${text}`)

await session.close()
await server.close()
await served.close()

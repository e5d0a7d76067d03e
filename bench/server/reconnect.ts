import { createSessionClient, type Session, type ToolClient } from "../../src/client.ts"
import type { Row } from "../table.ts"
import { post } from "./rawPage.ts"
import { startServer } from "./startServer.ts"
import { each } from "./streams.ts"

const CLIENTS = 10_000

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 50))
}

/** A server that is killed and comes back without its memory: ten thousand real clients open their streams and register again. */
export async function benchReconnect(): Promise<Row[]> {
  let server = await startServer("ours")
  const { url } = server
  let refused = 0
  /** Statuses by which a server turns away who did nothing wrong. */
  const counting: typeof fetch = async (...args) => {
    const response = await fetch(...args)
    if (response.status === 429 || response.status === 503) refused++
    return response
  }
  const open: { session: Session; tools: ToolClient }[] = []
  await each(CLIENTS, async () => {
    const { id, token } = await post<{ id: string; token: string }>(`${url}/v1/sessions`, {})
    const session = createSessionClient({ baseUrl: url, getToken: () => token, fetch: counting }).open(id, { onError() {} })
    const tools = session.createToolClient("web", { lifetime: { type: "ttl", data: { seconds: 300 } } })
    tools.addTool("echo", { description: "Echo.", parameters: { type: "object" }, execute: () => "" })
    open.push({ session, tools })
    await tools.ready
  })
  await server.kill()
  await until(() => open.every(({ session }) => session.state.status !== "open"))
  const began = performance.now()
  server = await startServer("ours", Number(new URL(url).port))
  const serving = (): number => open.filter(({ session, tools }) => session.state.status === "open" && tools.state.status === "serving").length
  let half = Number.NaN
  await until(() => {
    const count = serving()
    if (Number.isNaN(half) && count >= CLIENTS / 2) half = performance.now() - began
    return count === CLIENTS
  })
  const all = performance.now() - began
  await server.kill()
  for (const { session } of open) void session.close()
  return [
    {
      what: `${CLIENTS.toLocaleString("en")} clients after a restart without memory`,
      ours: `all serve after ${(all / 1000).toFixed(0)} s`,
      beside: `half of them after ${(half / 1000).toFixed(0)} s; back-off up to 30 s`,
      ratio: "",
      goal: "",
    },
    { what: "healthy ones that were refused meanwhile (429, 503)", ours: String(refused), beside: "", ratio: "", goal: "0" },
  ]
}

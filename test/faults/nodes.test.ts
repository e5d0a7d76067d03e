// Row 30 of the fault matrix: several servers with one store, of which one dies.
import { afterEach, expect, test } from "vitest"
import { createDeferred } from "../../src/lib/deferred.ts"
import { createSessionServer, serve, type ServedSession, type SessionServer } from "../../src/server/index.ts"
import { createMemoryStore } from "../../src/server/memoryStore.ts"
import type { SessionStorage, SessionStore } from "../../src/server/sessionStore.ts"
import { createSessionClient } from "../../src/session/sessionClient.ts"
import { createFaultProxy } from "./proxy.ts"

const API_KEY = "key-of-the-agent"

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

interface Node extends ServedSession {
  readonly server: SessionServer
  die(): Promise<void>
}

/** Servers of one cluster; the store outlives each of them. */
function createCluster() {
  let store: SessionStore | undefined
  const shared: SessionStorage = { open: (options) => ({ ...(store ??= createMemoryStore(options)), close() {} }) }
  closing.push(() => store?.close())
  return {
    async node(): Promise<Node> {
      const server = createSessionServer({ apiKey: API_KEY, secret: "a secret of thirty-two bytes, at least", store: shared, logger: { warn() {}, error() {} } })
      const served = await serve(server)
      const die = async (): Promise<void> => {
        await served.close()
        await server.close()
      }
      closing.push(die)
      return { ...served, server, die }
    },
  }
}

test("Row 30. The agent calls at A, the page moves from B to C in the middle of the call, and A dies: executed once, settled once, and told to whoever asks for the call.", async () => {
  const cluster = createCluster()
  const [a, b, c] = [await cluster.node(), await cluster.node(), await cluster.node()]
  const proxy = await createFaultProxy({ now: () => Date.now() })
  closing.push(() => proxy.close())
  proxy.target = b.port
  const { id, token } = await a.server.createSession()

  const began = createDeferred<void>()
  const finish = createDeferred<string>()
  const executed: string[] = []
  const session = createSessionClient({ baseUrl: proxy.url, getToken: () => token }).open(id, { onError() {} })
  closing.push(() => session.close())
  const client = session.createToolClient("web")
  client.addTool("add", {
    description: "Adds.",
    parameters: { type: "object" },
    execute(_args, { callId }) {
      executed.push(callId)
      began.resolve()
      return finish.promise
    },
  })
  await client.ready

  const agent = { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" }
  const body = JSON.stringify({ tool: "client__web__add", arguments: {} })
  const accepted = await fetch(`${a.url}/v1/sessions/${id}/tool-calls?wait=0`, { method: "POST", headers: agent, body })
  const { call_id } = (await accepted.json()) as { call_id: string }
  await began.promise

  proxy.target = c.port
  const moved = new Promise<void>((resolve) => {
    const stop = session.subscribe(({ status }) => {
      if (status !== "open") return
      stop()
      resolve()
    })
  })
  await Promise.all([a.die(), b.die()])
  await moved
  finish.resolve("done")

  const joined = await fetch(`${c.url}/v1/sessions/${id}/tool-calls/${call_id}?wait=20`, { headers: agent })
  expect(await joined.json()).toEqual({ call_id, text: "done", is_error: false })
  // Another answer would be a second settling.
  const answers = `${c.url}/v1/sessions/${id}/tool-clients/${client.state.id ?? ""}/answers`
  const late = await fetch(answers, {
    method: "POST",
    headers: { ...agent, authorization: `Bearer ${token}` },
    body: JSON.stringify({ call_id, text: "another", is_error: false }),
  })
  expect(late.status).toBe(409)
  expect(executed).toEqual([call_id])
  expect(client.state).toMatchObject({ status: "serving", name: "web" })
  expect(proxy.of("register")).toHaveLength(1)
})

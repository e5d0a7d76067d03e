import { expect, test } from "vitest"
import { WebSocket } from "ws"
import { createSessionServer, serve } from "../../src/server/index.ts"
import type { ErrorBody } from "../../src/wire/messages.ts"
import { createHarness, SECRET } from "./support/createHarness.ts"
import { hostStatus } from "./support/hostStatus.ts"

test("A request that is addressed to a host that is not allowed is answered 403 `host_not_allowed`.", async () => {
  const { server, sessionId, token } = await createHarness({ allowedHosts: ["agents.example.com", "[::1]"] })
  const ask = async (url: string, host?: string) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", ...(host !== undefined && { host }) }
    const response = await server.fetch(new Request(`${url}/v1/sessions/${sessionId}/tool-clients/x`, { method: "DELETE", headers }))
    return response.status === 403 ? ((await response.json()) as ErrorBody).error.code : response.status
  }
  for (const url of ["https://agents.example.com", "http://AGENTS.example.com:8787", "http://[::1]:8787"]) expect(await ask(url)).toBe(204)
  for (const url of ["http://evil.example", "http://localhost:8787", "http://agents.example.com.evil.example"]) expect(await ask(url)).toBe("host_not_allowed")
  // What a framework has put into the URL does not count where the browser said another.
  expect(await ask("http://localhost", "agents.example.com:443")).toBe(204)
  expect(await ask("https://agents.example.com", "evil.example")).toBe("host_not_allowed")
  expect(await ask("https://agents.example.com", "not a host")).toBe("host_not_allowed")
})

test.each(["https://agents.example.com", "agents.example.com:443", "", "a b"])("A name that no URL has as its host, such as %j, is refused when the server is made.", (host) => {
  expect(() => createSessionServer({ secret: SECRET, allowedHosts: [host] })).toThrow("without a port")
})

test("The server's own origin is what the browser's `Host` says, whatever a framework has put into the URL.", async () => {
  const { pageOf } = await createHarness()
  const statusFrom = async (headers: Record<string, string>) => (await pageOf({ headers }).register()).status
  expect(await statusFrom({ origin: "https://app.example", host: "app.example" })).toBe(201)
  expect(await statusFrom({ origin: "https://app.example:444", host: "app.example" })).toBe(403)
  expect(await statusFrom({ origin: "https://app.example", host: "other.example" })).toBe(403)
})

/** The status of a stream over WebSocket. */
const streamStatus = (url: string, host: string, token: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace("http", "ws"), { headers: { host }, origin: `http://${host}` })
    socket.on("open", () => socket.send(JSON.stringify({ token })))
    socket.on("error", reject)
    socket.once("message", (head: Buffer) => {
      resolve((JSON.parse(head.toString()) as { status: number }).status)
      socket.close()
    })
  })

test("A page elsewhere whose name was made to lead to a server on loopback is refused, over HTTP and over WebSocket.", async () => {
  const server = createSessionServer({ secret: SECRET, authorize: () => "anybody on this machine" })
  const served = await serve(server)
  const { id, token } = await server.createSession()
  const rebound = `evil.example:${served.port}`
  const tools = `${served.url}/v1/sessions/${id}/tools`
  expect(await hostStatus(tools, `127.0.0.1:${served.port}`)).toBe(200)
  expect(await hostStatus(tools, `localhost:${served.port}`)).toBe(200)
  expect(await hostStatus(tools, rebound)).toBe(403)
  expect(await hostStatus(tools, rebound, { origin: `http://${rebound}` })).toBe(403)
  expect(await streamStatus(`${served.url}/v1/sessions/${id}/events`, `127.0.0.1:${served.port}`, token)).toBe(200)
  expect(await streamStatus(`${served.url}/v1/sessions/${id}/events`, rebound, token)).toBe(403)
  await served.close()
  const open = await serve(server, { allowedHosts: "*" })
  expect(await hostStatus(`${open.url}/v1/sessions/${id}/tools`, "proxied.example")).toBe(200)
  await open.close()
  await server.close()
})

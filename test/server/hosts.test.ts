import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, test } from "vitest"
import { WebSocket } from "ws"
import { createHubServer, createSessionServer, serve } from "../../src/server/index.ts"
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

/** The status of a WebSocket's handshake: 101 when it is open. */
const handshake = (url: string, host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace("http", "ws"), { headers: { host }, origin: `http://${host}` })
    socket.on("error", reject)
    socket.once("open", () => {
      resolve(101)
      socket.close()
    })
    socket.once("unexpected-response", (request, response) => {
      resolve(response.statusCode)
      request.destroy()
    })
  })

test("A page elsewhere whose name was made to lead to a server on loopback is refused, over HTTP and over WebSocket, by the hub too.", async () => {
  const server = createSessionServer({ secret: SECRET, authorize: () => "anybody on this machine" })
  const hub = createHubServer({ authenticate: () => "anybody on this machine" })
  const served = await serve(server, { hub })
  const { id } = await server.createSession()
  const ours = `127.0.0.1:${served.port}`
  const rebound = `evil.example:${served.port}`
  const tools = `${served.url}/v1/sessions/${id}/tools`
  expect(await hostStatus(tools, ours)).toBe(200)
  expect(await hostStatus(tools, `localhost:${served.port}`)).toBe(200)
  expect(await hostStatus(tools, rebound)).toBe(403)
  // As a page sends it: to the browser, and to the rule of origins, it is the server's own.
  expect(await hostStatus(tools, rebound, { origin: `http://${rebound}` })).toBe(403)
  for (const path of [`/v1/sessions/${id}/events`, "/ws"]) {
    expect(await handshake(served.url + path, ours)).toBe(101)
    expect(await handshake(served.url + path, rebound)).toBe(403)
  }
  await served.close()
  const open = await serve(server, { allowedHosts: "*" })
  expect(await hostStatus(`${open.url}/v1/sessions/${id}/tools`, "proxied.example")).toBe(200)
  await open.close()
  await hub.close()
  await server.close()
})

test("A hub on a server of one's own takes any name, and with `allowedHosts` only those: another is refused although its page is the hub's own origin by its name.", async () => {
  const statuses = async (allowedHosts?: readonly string[]) => {
    const hub = createHubServer({ authenticate: () => "anybody", ...(allowedHosts && { allowedHosts }) })
    const http = createServer()
    await hub.attach(http)
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
    const { port } = http.address() as AddressInfo
    const given = [await handshake(`http://127.0.0.1:${port}/ws`, `localhost:${port}`), await handshake(`http://127.0.0.1:${port}/ws`, `evil.example:${port}`)]
    await hub.close()
    await new Promise((resolve) => http.close(resolve))
    return given
  }
  expect(await statuses()).toEqual([101, 101])
  expect(await statuses(["localhost"])).toEqual([101, 403])
})

test.each([
  ["127.0.0.1", "127.0.0.1", 404],
  ["127.0.0.1", "127.0.0.9", 403],
  ["127.0.0.9", "127.0.0.9", 404],
  ["localhost", "localhost", 404],
  ["0.0.0.0", "any.example", 404],
])("Listening at %s, a server that is addressed as %s answers %d.", async (hostname, host, status) => {
  const server = createSessionServer({ secret: SECRET })
  const served = await serve(server, { hostname })
  expect(await hostStatus(`${served.url}/nothing`, `${host}:${served.port}`)).toBe(status)
  await served.close()
  await server.close()
})

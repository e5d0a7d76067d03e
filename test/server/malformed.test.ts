// What anybody can send to a server that is reached over HTTP, by hand.
import { connect } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { createSessionServer, serve } from "../../src/server/index.ts"
import { API_KEY, createHarness, SECRET } from "./support/createHarness.ts"

const LONG = "x".repeat(10_000)

async function opened() {
  const server = createSessionServer({ apiKey: API_KEY, secret: SECRET })
  const { port, close } = await serve(server)
  onTestFinished(async () => {
    await close()
    await server.close()
  })
  const { id } = await server.createSession()
  /** Sends what it is given, and gives what comes back until the connection is closed. */
  const send = (lines: readonly string[], body = ""): Promise<string> =>
    new Promise((resolve, reject) => {
      let got = ""
      const socket = connect(port, "127.0.0.1", () => socket.write([...lines, "Connection: close", "", body].join("\r\n")))
      socket.on("data", (data) => (got += data.toString()))
      socket.on("error", reject)
      socket.on("close", () => resolve(got))
    })
  return { send, root: `/v1/sessions/${id}`, port }
}

const codeIn = (got: string): string | undefined => /\{"error":\{"code":"(\w+)"/.exec(got)?.[1]

test.each(["NaN", "-1", "-0", "0x10", "1e400", "Infinity", "%20", "+5", "1,2", "true", "", "5%00", "%D9%A1", "."])("A wait of %o is answered 400.", async (wait) => {
  const { agent } = await createHarness()
  expect(await agent.send("GET", `/tools?wait=${wait}`)).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } })
})

test.each(["0", "0.5", "00", "1"])("A wait of %o is taken.", async (wait) => {
  const { agent } = await createHarness()
  expect((await agent.send("GET", `/tools?wait=${wait}`)).status).toBe(200)
})

test.each<[string, string, string, unknown?]>([
  ["a session", "GET", `/../${LONG}/tools`],
  ["a path", "GET", `/${LONG}`],
  ["a call", "GET", `/tool-calls/${LONG}`],
  ["a tool", "POST", "/tool-calls", { tool: LONG }],
  ["a token", "DELETE", `/tokens/${LONG}`],
  ["a wait", "GET", `/tools?wait=${LONG}`],
  ["a number of a report", "GET", `/tool-calls/x?progress=${LONG}`],
])("A refusal of %s that is very long says only how it begins, on one line.", async (_what, method, path, body) => {
  const { agent } = await createHarness()
  const { status, body: refusal } = await agent.send(method, path, body)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(refusal.error.message.length).toBeLessThan(500)
  expect(refusal.error.message).not.toMatch(/[\r\n]/)
})

test("What would move a terminal's cursor, or begin a line, stands in no refusal.", async () => {
  const { agent } = await createHarness()
  const { body } = await agent.send("GET", `/tool-calls/a%0d%0a%1b%5b2Jb`)
  expect(body.error.message).toContain(String.raw`"a\r\n\u001b[2Jb"`)
})

test("A body that is compressed is answered 415, and the message says so.", async () => {
  const { pageOf } = await createHarness()
  const refused = await pageOf({ headers: { "content-encoding": "gzip" } }).register()
  expect(refused).toMatchObject({ status: 415, body: { error: { code: "unsupported_media_type", message: expect.stringContaining("Content-Encoding") as string } } })
  expect((await pageOf({ headers: { "content-encoding": "identity" } }).register()).status).toBe(201)
})

test("A request whose target names another host than its `Host` is refused, and one that names the same is taken.", async () => {
  const { send, root, port } = await opened()
  const headers = [`Host: 127.0.0.1:${port}`, `Authorization: Bearer ${API_KEY}`]
  const refused = await send([`GET http://elsewhere.example${root}/tools HTTP/1.1`, ...headers])
  expect(refused).toMatch(/^HTTP\/1\.1 400 /)
  expect(codeIn(refused)).toBe("invalid_request")
  expect(await send([`GET http://127.0.0.1:${port}${root}/tools HTTP/1.1`, ...headers])).toMatch(/^HTTP\/1\.1 200 /)
})

test.each([
  ["an empty host", "GET /v1/sessions/x/tools HTTP/1.1", "Host:"],
  ["a target that is a star", "OPTIONS * HTTP/1.1", "Host: 127.0.0.1"],
  ["a target with a backslash", String.raw`GET /v1\sessions HTTP/1.1`, "Host: 127.0.0.1"],
])("A request with %s is answered 400 in the shape of every refusal.", async (_what, line, host) => {
  const { send } = await opened()
  const got = await send([line, host, `Authorization: Bearer ${API_KEY}`])
  expect(got).toMatch(/^HTTP\/1\.1 400 /)
  expect(codeIn(got)).toBe("invalid_request")
})

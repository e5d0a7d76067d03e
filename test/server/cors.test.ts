import { expect, test } from "vitest"
import type { ErrorBody } from "../../src/wire/messages.ts"
import { API_KEY, createHarness } from "./support/createHarness.ts"

const APP = "https://app.example"
const FOREIGN = "https://evil.example"
const ORIGIN = "access-control-allow-origin"

test("A request from a page of an origin that is neither allowed nor the server's own is answered 403 `origin_not_allowed`.", async () => {
  const { pageOf } = await createHarness({ allowedOrigins: [APP] })
  for (const origin of [FOREIGN, "null", "http://app.example", `${APP}:444`, "https://sub.app.example", `${APP}.evil.example`, "nonsense"]) {
    const answer = await pageOf({ headers: { origin } }).register()
    expect([answer.status, (answer.body as unknown as ErrorBody).error.code]).toEqual([403, "origin_not_allowed"])
  }
  for (const headers of [{ origin: APP }, { origin: "http://server.test" }, { origin: "https://server.test" }, undefined]) {
    expect((await pageOf({ ...(headers && { headers }) }).register()).status).toBe(201)
  }
})

test("Every response to an allowed origin carries the CORS headers, refusals too.", async () => {
  const { server, sessionId, pageOf } = await createHarness({ allowedOrigins: [APP] })
  const page = pageOf({ headers: { origin: APP } })
  const answers = [
    await page.register(),
    await page.ping("unknown"),
    await page.register({ name: "" }),
    await page.send("PATCH", "/events", {}),
    await pageOf({ token: "bad", headers: { origin: APP } }).ping("x"),
    await pageOf({ token: API_KEY, headers: { origin: APP } }).send("GET", "/tools"),
  ]
  expect(answers.map(({ status }) => status)).toEqual([201, 404, 400, 405, 401, 200])
  const stream = await page.stream()
  for (const headers of [...answers.map((answer) => answer.headers), stream.response.headers]) {
    expect([headers.get(ORIGIN), headers.get("vary"), headers.get("access-control-expose-headers")]).toEqual([APP, "Origin", "Retry-After, Event-Sockets"])
    expect(headers.has("access-control-allow-credentials")).toBe(false)
  }
  await server.close()
  const closed = await server.fetch(new Request(`http://server.test/v1/sessions/${sessionId}/tools`, { headers: { origin: APP } }))
  expect([closed.status, closed.headers.get(ORIGIN)]).toEqual([503, APP])
})

test("A response to an origin that is not allowed carries no CORS headers.", async () => {
  const { server, sessionId, pageOf } = await createHarness({ allowedOrigins: [APP] })
  const { headers } = await pageOf({ headers: { origin: FOREIGN } }).register()
  expect([headers.get(ORIGIN), headers.get("vary")]).toEqual([null, "Origin"])
  const preflight = await server.fetch(
    new Request(`http://server.test/v1/sessions/${sessionId}/tool-clients`, {
      method: "OPTIONS",
      headers: { origin: FOREIGN, "access-control-request-method": "POST" },
    }),
  )
  expect([preflight.status, preflight.headers.get(ORIGIN), preflight.headers.get("access-control-allow-methods")]).toEqual([403, null, null])
})

const preflightOf = (origin: string) =>
  new Request("http://server.test/v1/sessions/s/tool-clients/c/ping", {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "authorization,content-type" },
  })

test("A preflight is answered 204 and may be kept for two hours.", async () => {
  const { server } = await createHarness({ allowedOrigins: [APP] })
  const { status, headers } = await server.fetch(preflightOf(APP))
  expect([status, headers.get("access-control-max-age"), headers.get(ORIGIN)]).toEqual([204, "7200", APP])
  expect(headers.get("access-control-allow-methods")).toBe("GET, POST, PUT, DELETE")
})

test("`Retry-After` and `Event-Sockets` are exposed, and `Authorization`, `Content-Type`, `Last-Event-ID` and `Idempotency-Key` are allowed.", async () => {
  const { server } = await createHarness({ allowedOrigins: [APP] })
  const { headers } = await server.fetch(preflightOf(APP))
  expect(headers.get("access-control-allow-headers")).toBe("Authorization, Content-Type, Last-Event-ID, Idempotency-Key")
  expect(headers.get("access-control-expose-headers")).toBe("Retry-After, Event-Sockets")
})

test("A server that allows every origin says `*`, and never that credentials may be sent.", async () => {
  const { pageOf } = await createHarness({ allowedOrigins: "*" })
  const { status, headers } = await pageOf({ headers: { origin: FOREIGN } }).register()
  expect([status, headers.get(ORIGIN), headers.has("vary"), headers.has("access-control-allow-credentials")]).toEqual([201, "*", false, false])
})

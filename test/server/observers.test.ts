import * as api from "@opentelemetry/api"
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { Counter, Gauge, Histogram, Registry } from "prom-client"
import { afterEach, expect, test, vi } from "vitest"
import { createLogObserver, createMetrics, createSessionServer, createTraceObserver, METRICS_CONTENT_TYPE, type ServerEvent } from "../../src/server/index.ts"
import { createCounter, createGauge, createHistogram } from "../../src/server/metricFamilies.ts"
import { API_KEY, createHarness } from "./support/createHarness.ts"

afterEach(() => api.trace.disable())

/** One call from an agent over HTTP, acked after 1 s and answered after 3. */
async function oneCall(observers: ((event: ServerEvent) => void)[], more: { isError?: boolean; headers?: Record<string, string>; tool?: string } = {}) {
  const harness = await createHarness({ observers, logger: { warn: vi.fn(), error: vi.fn() } })
  const { clock, page, pageOf, serving } = harness
  const { tool = "add" } = more
  const { events, id } = await serving({ tools: [{ name: tool, description: "x", parameters: { type: "object" } }] })
  const agent = pageOf({ token: API_KEY, headers: more.headers ?? {} })
  const answered = agent.send("POST", "/tool-calls?wait=60", { tool: `client__web__${tool}`, arguments: { secret: "the argument" } })
  const call = await events.nextOf("tool_call.dispatched")
  await clock.advance(1_000)
  await page.ack(id, call.call_id)
  await clock.advance(2_000)
  await page.answer(id, call.call_id, { text: "the answer", is_error: more.isError ?? false })
  await answered
  await events.cancel()
  return { ...harness, clientId: id, callId: call.call_id, events }
}

test("Observers are told of each step of a call, of its client and its stream, once, with their times.", async () => {
  const told: ServerEvent[] = []
  const { sessionId, clientId, callId, clock } = await oneCall([(event) => told.push(event)])
  const call = { sessionId, callId, clientId, tool: "add" }
  const ofCall = told.filter(({ type }) => type.startsWith("call."))
  const start = clock.now() - 3_000
  expect(ofCall).toEqual([
    { type: "call.dispatched", ...call, isRepeat: false, at: start },
    { type: "call.requested", ...call, who: "api_key", traceparent: null, at: start },
    { type: "call.acked", ...call, durationMs: 1_000, at: start + 1_000 },
    { type: "call.settled", ...call, reason: "answered", isError: false, durationMs: 3_000, at: start + 3_000 },
  ])
  expect(told.filter(({ type }) => /^(client|stream)/.test(type))).toEqual([
    { type: "stream.opened", sessionId, at: start },
    { type: "client.registered", sessionId, clientId, name: "web", toolCount: 1, at: start },
    { type: "stream.closed", sessionId, reason: "reader", durationMs: 3_000, at: start + 3_000 },
  ])
  const requests = told.filter((event) => event.type === "request.answered")
  expect(requests.map(({ method, route, status, code, durationMs }) => [method, route, status, code, durationMs])).toEqual([
    ["GET", "/v1/sessions/:sid/events", 200, null, 0],
    ["POST", "/v1/sessions/:sid/tool-clients", 201, null, 0],
    ["POST", "/v1/sessions/:sid/tool-clients/:cid/acks", 204, null, 0],
    ["POST", "/v1/sessions/:sid/tool-clients/:cid/answers", 204, null, 0],
    ["POST", "/v1/sessions/:sid/tool-calls", 200, null, 3_000],
  ])
})

test("Observers are told of repeats, expiries, deletions, refusals, revocations and of the end of the server.", async () => {
  const told: ServerEvent[] = []
  const { clock, page, server, sessionId, serving, dispatched } = await createHarness({ observers: [(event) => told.push(event)], tokenTtlSeconds: 86_400 })
  const { events, id } = await serving()
  const { outcome } = await dispatched(events)
  await clock.advance(10_000)
  expect(told).toContainEqual(expect.objectContaining({ type: "call.dispatched", isRepeat: true }))
  await clock.advance(50_000)
  await outcome
  expect(told).toContainEqual(expect.objectContaining({ type: "client.expired", clientId: id, name: "web" }))
  expect(told).toContainEqual(expect.objectContaining({ type: "call.settled", reason: "client_expired", isError: true, durationMs: 60_000 }))
  const { body: second } = await page.register({ load_id: "l2" })
  await page.remove(second.id)
  expect(told).toContainEqual(expect.objectContaining({ type: "client.deleted", clientId: second.id }))
  await page.ping("gone")
  await page.send("PATCH", "/nowhere")
  expect(told.filter((event) => event.type === "request.answered").slice(-2)).toMatchObject([
    { route: "/v1/sessions/:sid/tool-clients/:cid/ping", status: 404, code: "tool_client_not_found" },
    { route: "unknown", status: 404, code: "not_found" },
  ])
  await server.revokeSession(sessionId)
  await events.ended
  expect(told).toContainEqual({ type: "session.revoked", sessionId, at: clock.now() })
  expect(told).toContainEqual(expect.objectContaining({ type: "stream.closed", reason: "token_revoked" }))
  await server.close()
  expect(told.at(-1)).toEqual({ type: "server.closed", at: clock.now() })
})

test("An observer that throws breaks nothing and silences no other, and the log says why.", async () => {
  const types: string[] = []
  const { logger, ...harness } = await (async () => {
    const spy = { warn: vi.fn(), error: vi.fn() }
    const throwing = (): never => {
      throw new Error("The observer is broken.")
    }
    return { logger: spy, ...(await createHarness({ logger: spy, observers: [throwing, ({ type }) => types.push(type)] })) }
  })()
  await harness.serving()
  expect(types).toContain("client.registered")
  expect(logger.error).toHaveBeenCalledWith("The session server failed.", expect.objectContaining({ message: "The observer is broken." }))
})

test("A logger that throws breaks nothing: who asks is answered.", async () => {
  const console = vi.spyOn(globalThis.console, "error").mockImplementation(() => {})
  const broken = (): never => {
    throw new Error("The log is full.")
  }
  const server = createSessionServer({ secret: "short", authorize: broken, logger: { warn: broken, error: broken } })
  const response = await server.fetch(new Request("http://localhost/v1/sessions", { method: "POST" }))
  expect([response.status, await response.json()]).toMatchObject([500, { error: { code: "internal_error" } }])
  expect(console).toHaveBeenCalledWith(expect.objectContaining({ message: "The log is full." }))
  console.mockRestore()
  await server.close()
})

test("The log has one line of JSON for each event from its level on, without arguments, answers or tokens.", async () => {
  const lines: string[] = []
  const { token, callId } = await oneCall([createLogObserver({ write: (line) => lines.push(line), level: "debug" })])
  const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(parsed.map(({ event }) => event)).toContain("call.acked")
  expect(parsed.find(({ event }) => event === "call.settled")).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    level: "info",
    event: "call.settled",
    sessionId: expect.any(String),
    callId,
    clientId: expect.any(String),
    tool: "add",
    reason: "answered",
    isError: false,
    durationMs: 3_000,
  })
  for (const secret of ["the argument", "the answer", token, API_KEY]) expect(lines.join("\n")).not.toContain(secret)

  const few: string[] = []
  await oneCall([createLogObserver({ write: (line) => few.push(line) })])
  expect(few.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual(["stream.opened", "client.registered", "call.settled", "stream.closed"])
})

test("Whatever a page or a caller writes into a path or a name, the log keeps to one line and no terminal obeys it.", async () => {
  const lines: string[] = []
  const { server, pageOf } = await createHarness({ observers: [createLogObserver({ write: (line) => lines.push(line) })] })
  const hostile = 'a\n{"event":"forged"}\r\u001b[2J\u009b2J\u2028\u007f'
  const warned: string[] = []
  await pageOf({ sessionId: encodeURIComponent(hostile) }).ping("x")
  await server.revokeSession("s").catch(() => {})
  const observer = createLogObserver({ write: (line) => lines.push(line) })
  observer({ type: "client.registered", at: 0, sessionId: hostile, clientId: "c", name: hostile, toolCount: 0 })
  expect(lines.length).toBeGreaterThan(2)
  for (const line of lines) {
    // eslint-disable-next-line no-control-regex
    expect(line).toMatch(/^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$/)
    expect((JSON.parse(line) as { event: string }).event).not.toBe("forged")
  }
  expect((JSON.parse(lines.at(-1) ?? "") as { name: string }).name).toBe(hostile)
  expect(warned).toEqual([])
})

test("Metrics are written exactly as Prometheus' own client for Node writes them.", async () => {
  const register = new Registry()
  const ours = {
    counter: createCounter("c_total", "Counts.", ["one", "two"]),
    alone: createCounter("alone_total", "Counts.", []),
    gauge: createGauge("g", "Goes up and down."),
    histogram: createHistogram("h_seconds", "Lasts.", ["route"], [0.1, 1, 2.5]),
    bare: createHistogram("b_seconds", "Lasts.", [], [1]),
  }
  const theirs = {
    counter: new Counter({ name: "c_total", help: "Counts.", labelNames: ["one", "two"], registers: [register] }),
    alone: new Counter({ name: "alone_total", help: "Counts.", registers: [register] }),
    gauge: new Gauge({ name: "g", help: "Goes up and down.", registers: [register] }),
    histogram: new Histogram({ name: "h_seconds", help: "Lasts.", labelNames: ["route"], buckets: [0.1, 1, 2.5], registers: [register] }),
    bare: new Histogram({ name: "b_seconds", help: "Lasts.", buckets: [1], registers: [register] }),
  }
  for (const [one, two] of [["a", "b"], ['quo"te', "back\\slash"], ["line\nbreak", ""], ["a", "b"]] as const) {
    ours.counter.add([one, two])
    theirs.counter.inc({ one, two })
  }
  ours.gauge.add(3)
  ours.gauge.add(-1)
  theirs.gauge.set(2)
  for (const value of [0.05, 0.1, 0.2, 1, 3]) {
    ours.histogram.observe(["/x"], value)
    theirs.histogram.observe({ route: "/x" }, value)
  }
  expect(Object.values(ours).map((family) => family.text()).join("\n")).toBe(await register.metrics())
  expect(METRICS_CONTENT_TYPE).toBe(register.contentType)
})

test("Metrics count calls, clients, streams and requests, and no label is one that a page or an agent chooses.", async () => {
  const metrics = createMetrics()
  const { server, page } = await oneCall([metrics.observer])
  await page.send("BREW", "/nowhere/at/all")
  await server.close()
  const text = metrics.text()
  for (const line of [
    "react_tool_client_calls_requested_total 1",
    'react_tool_client_calls_settled_total{reason="answered",error="false"} 1',
    'react_tool_client_call_duration_seconds_bucket{le="2.5",reason="answered"} 0',
    'react_tool_client_call_duration_seconds_bucket{le="5",reason="answered"} 1',
    'react_tool_client_call_ack_seconds_bucket{le="1"} 1',
    "react_tool_client_tool_clients_registered_total 1",
    "react_tool_client_streams 0",
    'react_tool_client_streams_closed_total{reason="reader"} 1',
    'react_tool_client_requests_total{route="/v1/sessions/:sid/tool-calls",method="POST",status="200",code=""} 1',
    'react_tool_client_requests_total{route="unknown",method="other",status="404",code="not_found"} 1',
  ]) {
    expect(text.split("\n")).toContain(line)
  }
  expect(text).not.toMatch(/nowhere|BREW|web"|add"/)
})

/** A W3C trace context as an agent's HTTP client sends it. */
const TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
const TRACEPARENT = `00-${TRACE_ID}-b7ad6b7169203331-01`

const w3c: api.TextMapPropagator = {
  inject() {},
  fields: () => ["traceparent"],
  extract(context, carrier, getter) {
    const [, traceId = "", spanId = ""] = /^00-(\w{32})-(\w{16})-/.exec(String(getter.get(carrier, "traceparent"))) ?? []
    return api.trace.setSpanContext(context, { traceId, spanId, traceFlags: 1, isRemote: true })
  },
}

test("A call is one span of OpenTelemetry, below the span of the request that made it, from the call to its outcome.", async () => {
  const exporter = new InMemorySpanExporter()
  api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
  api.propagation.setGlobalPropagator(w3c)
  const { callId, sessionId } = await oneCall([createTraceObserver(api)], { headers: { traceparent: TRACEPARENT }, isError: true })
  api.propagation.disable()
  const [span, ...others] = exporter.getFinishedSpans()
  expect(others).toEqual([])
  expect(span).toMatchObject({
    name: "execute_tool add",
    kind: api.SpanKind.INTERNAL,
    status: { code: api.SpanStatusCode.ERROR },
    duration: [3, 0],
    attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "add", "gen_ai.tool.call.id": callId, "gen_ai.conversation.id": sessionId, "error.type": "tool_error" },
    events: [{ name: "acked" }],
    parentSpanContext: { traceId: TRACE_ID, spanId: "b7ad6b7169203331" },
  })
  expect(JSON.stringify([span?.attributes, span?.events, span?.name])).not.toMatch(/the argument|the answer/)
})

test("Without an SDK the spans of OpenTelemetry are nothing, and calls go on.", async () => {
  const { callId } = await oneCall([createTraceObserver(api)])
  expect(callId).toBeDefined()
})

import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import fc from "fast-check"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { bodyOf, createLoopback, type Loopback } from "../../test/node/client/support/createLoopback.ts"
import { createHttpTransport, REFUSAL_MAX_CHARACTERS, STREAM_BUFFER_MAX_CHARACTERS } from "./httpTransport.ts"
import { SessionError, type SessionErrorCode } from "./sessionError.ts"
import type { RawEvent, StreamRequest, Transport } from "./transport.ts"

let loopback: Loopback
beforeAll(async () => {
  loopback = await createLoopback()
})
afterAll(() => loopback.close())
afterEach(() => {
  vi.useRealTimers()
})

/** Everything that a stream said, in order. */
interface Heard {
  readonly events: RawEvent[]
  readonly ids: string[]
  opened: number
  chunks: number
}

function listen(transport: Transport, more: Partial<StreamRequest> = {}): { heard: Heard; ended: Promise<SessionError | undefined> } {
  const heard: Heard = { events: [], ids: [], opened: 0, chunks: 0 }
  const ended = transport
    .stream({
      path: "/v1/sessions/s/events",
      token: "t",
      signal: new AbortController().signal,
      onOpen: () => void heard.opened++,
      onBytes: () => void heard.chunks++,
      onEvent: (event) => void heard.events.push(event),
      onId: (id) => void heard.ids.push(id),
      ...more,
    })
    .then(
      () => undefined,
      (error: unknown) => error as SessionError,
    )
  return { heard, ended }
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Hears a stream of these chunks: each is sent when the one before has been read, so that none are joined on the way. */
async function hear(transport: Transport, chunks: readonly Uint8Array[], end: "end" | "cut" = "end"): Promise<Heard & { error: SessionError | undefined }> {
  const sent = chunks.filter((chunk) => chunk.length > 0)
  let wasRead = (): void => {}
  loopback.answer(async (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders()
    for (const chunk of sent) {
      const read = new Promise<void>((resolve) => (wasRead = resolve))
      response.write(chunk)
      await read
    }
    if (end === "end") response.end()
    else response.destroy()
  })
  const { heard, ended } = listen(transport, {
    onBytes() {
      heard.chunks++
      wasRead()
    },
  })
  const error = await ended
  if (end === "end") expect(error).toBeUndefined()
  expect(heard.chunks).toBe(sent.length)
  return { ...heard, error }
}

const TEXT =
  "\uFEFF: open\n\n" +
  'id: 1\nevent: session.running\ndata: {"running":true}\n\n' +
  ":\r\n" +
  'id: 2\r\nevent: tool_call.dispatched\r\ndata: {"a":"ä€😀"}\r\n\r\n' +
  "id:3\rdata:one\rdata: two\rdata\r\r" +
  "retry: 5\nid: 4\nunknown: field\ndata:  kept space\n\n" +
  "event: no data\n\n" +
  "data: last\n\n"

const EVENTS: readonly RawEvent[] = [
  { type: "session.running", data: '{"running":true}' },
  { type: "tool_call.dispatched", data: '{"a":"ä€😀"}' },
  { type: "message", data: "one\ntwo\n" },
  { type: "message", data: " kept space" },
  { type: "message", data: "last" },
]
const IDS = ["1", "2", "3", "4"]

describe.each([
  ["node:http", () => createHttpTransport(loopback.url)],
  ["a fetch of the user's", () => createHttpTransport(loopback.url, (input, init) => fetch(input, init))],
])("the event stream over %s", (variant, transportOf) => {
  it("is the same wherever its bytes are cut in two: lines by LF, CR and CRLF, a BOM, comments, characters of several bytes", async () => {
    const all = bytes(TEXT)
    for (let at = 0; at <= all.length; at++) {
      const heard = await hear(transportOf(), [all.slice(0, at), all.slice(at)])
      expect({ at, events: heard.events, ids: heard.ids }).toEqual({ at, events: EVENTS, ids: IDS })
    }
  }, 60_000)

  it("is the same when each byte comes alone", async () => {
    const heard = await hear(transportOf(), Array.from(bytes(TEXT), (byte) => Uint8Array.of(byte)))
    expect(heard.events).toEqual(EVENTS)
    expect(heard.ids).toEqual(IDS)
  })

  it("is the same for whatever line ends and chunks there are", async () => {
    const field = fc.record({ type: fc.constantFrom("a", "tool_call.dispatched"), data: fc.array(fc.constantFrom("x", "ü", "😀", ":", " ", ""), { maxLength: 3 }).map((parts) => parts.join("")) })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(field, fc.constantFrom("\n", "\r\n", "\r")), { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat({ max: 200 }), { maxLength: 5 }),
        async (events, cuts) => {
          // Ends with a comment line, so that a CR at the very end is known to be one.
          const all = bytes(events.map(([{ type, data }, newline]) => `event: ${type}${newline}data: ${data}${newline}${newline}`).concat(":\n").join(""))
          const places = [0, ...cuts.map((cut) => Math.min(cut, all.length)).sort((a, b) => a - b), all.length]
          const heard = await hear(transportOf(), places.slice(1).map((place, index) => all.slice(places[index], place)))
          expect(heard.events).toEqual(events.map(([event]) => event))
        },
      ),
      { numRuns: 60 },
    )
  }, 60_000)

  it("is opened once its answer says that events follow, before any of them", async () => {
    const order: string[] = []
    loopback.answer((_request, response) => void response.writeHead(200, { "content-type": "text/event-stream" }).end("id: 1\ndata: x\n\n"))
    await listen(transportOf(), { onOpen: () => order.push("open"), onBytes: () => order.push("bytes"), onEvent: () => order.push("event"), onId: () => order.push("id") }).ended
    expect(order).toEqual(["open", "bytes", "event", "id"])
  })

  it("is open with the headers alone, so that a quiet server is no failure", async () => {
    loopback.answer((_request, response) => void response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" }).flushHeaders())
    const controller = new AbortController()
    const opened = new Promise<void>((resolve) => {
      const { ended } = listen(transportOf(), { signal: controller.signal, onOpen: () => resolve() })
      void ended
    })
    await opened
    controller.abort()
  })

  it("counts comments as a sign of life, and as no event", async () => {
    const heard = await hear(transportOf(), [bytes(": keep\n\n"), bytes(":\n\n")])
    expect(heard.chunks).toBeGreaterThan(0)
    expect(heard.events).toEqual([])
  })

  it("drops an event that its end has cut off", async () => {
    const heard = await hear(transportOf(), [bytes("id: 1\ndata: whole\n\nid: 2\ndata: cut off\n")])
    expect(heard.events).toEqual([{ type: "message", data: "whole" }])
    expect(heard.ids).toEqual(["1"])
  })

  it("that is cut at any byte has said all whole events before, no half one, and rejects with `network`", async () => {
    const all = bytes('id: 1\ndata: "ä"\n\nid: 2\ndata: "€"\n\n')
    // An event is whole with the line feed of its blank line.
    const ends = [...all.keys()].filter((at) => all[at] === 10 && all[at - 1] === 10)
    for (let at = 0; at <= all.length; at++) {
      const { ids, error } = await hear(transportOf(), [all.slice(0, at)], "cut")
      expect(error).toMatchObject({ name: "SessionError", code: "network" })
      expect({ at, ids }).toEqual({ at, ids: ["1", "2"].slice(0, ends.filter((end) => at > end).length) })
    }
  })

  it("ignores an id with a NUL, and gives one that is empty as it is", async () => {
    const heard = await hear(transportOf(), [bytes("id: a\0b\ndata: x\n\nid\ndata: y\n\n")])
    expect(heard.ids).toEqual([""])
  })

  it("gives no id that no header could carry, so that it can always be asked for again", async () => {
    const { ids, events } = await hear(transportOf(), [bytes("id: 7\ndata: x\n\nid: 8→9\ndata: y\n\nid: \u0007\ndata: z\n\n")])
    expect(events.length).toBe(3)
    expect(ids).toEqual(["7"])
  })

  it("resumes from the id it is given, and says nothing of it without", async () => {
    const seen: (string | string[] | undefined)[] = []
    loopback.answer((request, response) => {
      seen.push(request.headers["last-event-id"])
      response.writeHead(200, { "content-type": "text/event-stream" }).end()
    })
    await listen(transportOf(), { lastEventId: "7" }).ended
    await listen(transportOf()).ended
    expect(seen).toEqual(["7", undefined])
  })

  it("carries its token in a header, never in the URL, and asks for an event stream", async () => {
    let request: IncomingMessage | undefined
    loopback.answer((incoming, response) => {
      request = incoming
      response.writeHead(200, { "content-type": "text/event-stream" }).end()
    })
    await listen(transportOf(), { token: "secret" }).ended
    expect(request?.headers).toMatchObject({ authorization: "Bearer secret", accept: "text/event-stream" })
    expect(request?.url).toBe("/v1/sessions/s/events")
    expect(request?.method).toBe("GET")
  })

  it.each<[string, string]>([
    ["one line", "data: "],
    ["an event of many lines", "data: x\n".repeat(1_000)],
  ])("that grows without end by %s is cut at the cap, as no good stream", async (_how, part) => {
    const closed = new Promise<void>((resolve) => {
      loopback.answer(async (_request, response) => {
        response.on("close", () => resolve())
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.write("id: 1\ndata: before\n\n")
        const chunk = part.length > 100 ? part : part + "x".repeat(64 * 1024)
        while (!response.destroyed) await new Promise<void>((written) => response.write(chunk, () => written()))
      })
    })
    const controller = new AbortController()
    const { heard, ended } = listen(transportOf(), { signal: controller.signal })
    expect(await ended).toMatchObject({ code: "bad_stream", message: expect.stringContaining("large") })
    expect(heard.events).toEqual([{ type: "message", data: "before" }])
    controller.abort()
    await closed
  }, 60_000)

  it("takes an event just below the cap", async () => {
    const data = "x".repeat(STREAM_BUFFER_MAX_CHARACTERS - 100)
    loopback.answer((_request, response) => void response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${data}\n\n`))
    const { heard, ended } = listen(transportOf())
    expect(await ended).toBeUndefined()
    expect(heard.events[0]?.data.length).toBe(data.length)
  }, 60_000)

  it.each<[number, Record<string, string>, string, SessionErrorCode]>([
    [401, { "content-type": "application/json" }, '{"error":{"code":"token_expired","message":"Too old."}}', "unauthorized"],
    [401, { "content-type": "text/html" }, "<h1>Log in</h1>", "unauthorized"],
    [403, { "content-type": "application/json" }, '{"error":{"code":"wrong_session","message":"Not yours."}}', "refused"],
    [404, { "content-type": "application/json" }, '{"error":{"code":"session_not_found","message":"No."}}', "session_not_found"],
    [404, { "content-type": "text/html" }, "<h1>Not found</h1>", "unavailable"],
    [429, { "content-type": "application/json", "retry-after": "7" }, '{"error":{"code":"too_many_streams","message":"Full."}}', "unavailable"],
    [500, { "content-type": "text/plain" }, "oops", "unavailable"],
    [502, { "content-type": "text/html" }, "<h1>Bad gateway</h1>", "unavailable"],
    [502, { "content-type": "text/event-stream" }, "data: not one of ours\n\n", "unavailable"],
    [204, {}, "", "bad_stream"],
    [200, { "content-type": "text/html" }, "<!doctype html>", "bad_stream"],
    [200, { "content-type": "application/json" }, "{}", "bad_stream"],
    [200, {}, "", "bad_stream"],
  ])("answered %d with %j is no stream: %j", async (status, headers, body, code) => {
    loopback.answer((_request, response) => void response.writeHead(status, headers).end(body))
    const { heard, ended } = listen(transportOf())
    const error = await ended
    expect(error).toMatchObject({ name: "SessionError", code })
    expect(heard).toMatchObject({ opened: 0, events: [], ids: [] })
    if (headers["retry-after"]) expect(error?.retryAfterMs).toBe(7_000)
    expect(error?.message).toContain(`GET ${loopback.url}/v1/sessions/s/events`)
    if (code === "bad_stream") expect(error?.message).toMatch(/Are baseUrl, its proxy/)
  })

  it("answered with a redirect to a page of HTML is no stream, and may pass", async () => {
    loopback.answer((request, response) => {
      if (request.url === "/login") response.writeHead(200, { "content-type": "text/html" }).end("<h1>Log in</h1>")
      else response.writeHead(302, { location: "/login" }).end()
    })
    const error = await listen(transportOf()).ended
    expect(["unavailable", "bad_stream"]).toContain(error?.code)
  })

  it("that is refused gives the server's own words", async () => {
    loopback.answer((_request, response) => void response.writeHead(403).end('{"error":{"code":"origin_not_allowed","message":"Not från här."}}'))
    expect((await listen(transportOf()).ended)?.message).toContain("Not från här.")
  })

  it("that is refused with a body without an end is read no further than a reason could be long, and cut", async () => {
    let serverSaw: Promise<unknown> | undefined
    let written = 0
    loopback.answer(async (_request, response) => {
      serverSaw = once(response, "close")
      response.writeHead(403, { "content-type": "text/html" })
      while (!response.destroyed) {
        written += 4_096
        if (!response.write("<p>".padEnd(4_096))) await Promise.race([once(response, "drain"), serverSaw])
        else await new Promise((resolve) => setImmediate(resolve))
      }
    })
    expect(await listen(transportOf()).ended).toMatchObject({ code: "refused", status: 403 })
    await serverSaw
    expect(written).toBeGreaterThan(REFUSAL_MAX_CHARACTERS)
  })

  it("aborts before its answer, and while it is open; the server sees that it is gone", async () => {
    for (const isOpen of [false, true]) {
      const controller = new AbortController()
      let serverSaw: Promise<unknown> | undefined
      loopback.answer((_request, response) => {
        serverSaw = once(response, "close")
        if (isOpen) response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders()
        else queueMicrotask(() => controller.abort())
      })
      const { ended } = listen(transportOf(), { signal: controller.signal, onOpen: () => queueMicrotask(() => controller.abort()) })
      expect(await ended).toMatchObject({ code: "network" })
      await serverSaw
    }
  })

  it("sends nothing for a signal that has aborted", async () => {
    let requests = 0
    loopback.answer((_request, response) => {
      requests++
      response.end()
    })
    expect(await listen(transportOf(), { signal: AbortSignal.abort() }).ended).toMatchObject({ code: "network" })
    expect(requests).toBe(0)
  })

  it("rejects with `network` where nobody listens", async () => {
    const gone = await createLoopback()
    await gone.close()
    const transport = variant === "node:http" ? createHttpTransport(gone.url) : createHttpTransport(gone.url, (input, init) => fetch(input, init))
    expect(await listen(transport).ended).toMatchObject({ code: "network", message: expect.stringContaining(`The event stream (GET ${gone.url}/v1/sessions/s/events) got no answer`) })
  })

  it("stops reading when a listener throws", async () => {
    loopback.answer((_request, response) => void response.writeHead(200, { "content-type": "text/event-stream" }).end("data: x\n\ndata: y\n\n"))
    const error = await listen(transportOf(), {
      onEvent() {
        throw new SessionError("bad_stream", "mine")
      },
    }).ended
    expect(error).toMatchObject({ code: "bad_stream", message: "mine" })
  })
})

describe("a request", () => {
  const send = (more: Partial<Parameters<Transport["request"]>[0]> = {}, fetchOf?: typeof fetch) =>
    createHttpTransport(loopback.url, fetchOf).request({ method: "POST", path: "/v1/x", token: "t", ...more })

  it("carries its token, and its body as JSON", async () => {
    let seen: unknown
    loopback.answer(async (request, response) => {
      const { method, url, headers } = request
      seen = { method, url, authorization: headers.authorization, type: headers["content-type"], body: await bodyOf(request) }
      response.writeHead(201, { "content-type": "application/json" }).end('{"id":"c"}')
    })
    expect(await send({ body: { name: "wäb" } })).toMatchObject({ status: 201, body: { id: "c" } })
    expect(seen).toEqual({ method: "POST", url: "/v1/x", authorization: "Bearer t", type: "application/json", body: '{"name":"wäb"}' })
  })

  it("without a body says no content type, so that a cross-origin one is not asked more than it must be", async () => {
    let request: IncomingMessage | undefined
    loopback.answer((incoming, response) => {
      request = incoming
      response.writeHead(204).end()
    })
    expect(await send({ method: "DELETE" })).toMatchObject({ status: 204, body: undefined })
    expect(request?.headers["content-type"]).toBeUndefined()
    expect(request?.method).toBe("DELETE")
  })

  it.each(["", "<h1>Bad gateway</h1>", "{"])("gives no body where the answer is no JSON: %j", async (text) => {
    loopback.answer((_request, response) => void response.writeHead(502).end(text))
    expect(await send()).toMatchObject({ status: 502, body: undefined })
  })

  it.each<[string | undefined, number | undefined]>([
    [undefined, undefined],
    ["", undefined],
    ["0", undefined],
    ["7", 7_000],
    ["Wed, 01 Jan 2025 00:00:10 GMT", 10_000],
    ["Wed, 01 Jan 2025 00:00:00 GMT", undefined],
    ["Tue, 31 Dec 2024 00:00:00 GMT", undefined],
    ["-5", undefined],
    ["soon", undefined],
    ["1.5", undefined],
  ])("reads Retry-After %j as %j milliseconds", async (header, expected) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2025-01-01T00:00:00Z") })
    loopback.answer((_request, response) => void response.writeHead(503, header === undefined ? {} : { "retry-after": header }).end())
    expect((await send()).retryAfterMs).toBe(expected)
  })

  it.each<[string, (response: ServerResponse) => void]>([
    ["before its answer", (response) => void response.destroy()],
    [
      "in the middle of its answer",
      (response) => {
        response.writeHead(200, { "content-length": "100" })
        response.write("{", () => response.destroy())
      },
    ],
  ])("that is cut %s rejects with `network`, naming itself", async (_when, cut) => {
    loopback.answer((_request, response) => cut(response))
    await expect(send()).rejects.toMatchObject({ name: "SessionError", code: "network", message: expect.stringContaining(`POST ${loopback.url}/v1/x`) })
  })

  it("that is aborted rejects with `network` and the reason as its cause", async () => {
    const controller = new AbortController()
    const reason = new DOMException("no answer within 10 ms", "TimeoutError")
    loopback.answer(() => controller.abort(reason))
    await expect(send({ signal: controller.signal })).rejects.toMatchObject({ code: "network", cause: reason, message: expect.stringContaining("no answer within 10 ms") })
  })

  it("that a browser does not let through says what to look at, and one that only came too late does not", async () => {
    await expect(send({}, () => Promise.reject(new TypeError("Failed to fetch")))).rejects.toThrow(
      `POST ${loopback.url}/v1/x got no answer: TypeError: Failed to fetch. Are baseUrl, its proxy and allowedOrigins right?`,
    )
    await expect(send({}, () => Promise.reject(new DOMException("late", "TimeoutError")))).rejects.toThrow(/late$/)
  })

  it("uses the user's fetch as a bare function, and asks it to outlive the page where told", async () => {
    const calls: { self: unknown; url: unknown; init: RequestInit | undefined }[] = []
    const given = function (this: unknown, input: unknown, init?: RequestInit) {
      calls.push({ self: this, url: input, init })
      return Promise.resolve(new Response(null, { status: 204 }))
    } as typeof fetch
    await send({ keepalive: true, body: {} }, given)
    await send({}, given)
    expect(calls.map(({ self, url, init }) => [self, url, init?.keepalive ?? false])).toEqual([
      [undefined, `${loopback.url}/v1/x`, true],
      [undefined, `${loopback.url}/v1/x`, false],
    ])
  })

  it("says so where the platform's fetch gives no streams", async () => {
    const withoutBody = { ok: true, status: 200, body: null, headers: new Headers({ "content-type": "text/event-stream" }) }
    const transport = createHttpTransport("https://a.example", () => Promise.resolve(withoutBody as unknown as Response))
    expect(await listen(transport).ended).toMatchObject({ code: "bad_stream", message: expect.stringContaining("cannot stream") as string })
  })

  it("looks the platform's fetch up at each call", async () => {
    const transport = createHttpTransport(loopback.url)
    const spy = vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response(null, { status: 204 }))
    await transport.request({ method: "POST", path: "/", token: "t" })
    expect(spy).toHaveBeenCalledTimes(1)
    spy.mockRestore()
  })
})

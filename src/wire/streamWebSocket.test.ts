import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { ByteStream } from "./byteStream.ts"
import { openWebSocketStream, WEBSOCKET_PATIENCE_MS } from "./streamWebSocket.ts"

/** A browser's WebSocket whose other end the test plays. */
class FakeWebSocket {
  static readonly CONNECTING = 0
  static readonly OPEN = 1
  static readonly CLOSED = 3
  static readonly made: FakeWebSocket[] = []
  readonly sent: string[] = []
  readonly url: string
  binaryType = "blob"
  readyState = FakeWebSocket.CONNECTING
  onopen: (() => void) | undefined
  onmessage: ((event: { data: string | ArrayBuffer }) => void) | undefined
  onclose: ((event: { code: number }) => void) | undefined

  constructor(url: string) {
    this.url = url
    FakeWebSocket.made.push(this)
  }
  send(text: string): void {
    this.sent.push(text)
  }
  /** As a browser does: the event comes later. */
  close(): void {
    if (this.readyState !== FakeWebSocket.CLOSED) queueMicrotask(() => this.end(1006))
  }
  open(): void {
    this.readyState = FakeWebSocket.OPEN
    this.onopen?.()
  }
  receive(data: string | Uint8Array): void {
    this.onmessage?.({ data: typeof data === "string" ? data : (data.slice().buffer) })
  }
  end(code: number): void {
    if (this.readyState === FakeWebSocket.CLOSED) return
    this.readyState = FakeWebSocket.CLOSED
    this.onclose?.({ code })
  }
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal("WebSocket", FakeWebSocket)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  FakeWebSocket.made.length = 0
})

const HEAD = JSON.stringify({ status: 200, headers: { "content-type": "text/event-stream" } })
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

interface Setup {
  readonly signal?: AbortSignal
  readonly headers?: Record<string, string>
}

function open({ signal = new AbortController().signal, headers = { authorization: "Bearer secret" } }: Setup = {}) {
  const opened = openWebSocketStream("https://a.example/v1/sessions/s/events", headers, signal)
  opened.catch(() => {})
  return { opened, socket: FakeWebSocket.made.at(-1)! }
}

function read(stream: ByteStream) {
  const heard: string[] = []
  const ended = stream.read((chunk) => heard.push(new TextDecoder().decode(chunk)))
  ended.catch(() => {})
  return { heard, ended }
}

describe("a stream over a WebSocket", () => {
  it("carries the token in its first message, never in the URL, and where it resumes", () => {
    const { socket } = open({ headers: { authorization: "Bearer secret", "last-event-id": "7" } })
    expect(socket.url).toBe("wss://a.example/v1/sessions/s/events")
    expect(socket.sent).toEqual([])
    socket.open()
    expect(socket.sent.map((text) => JSON.parse(text) as unknown)).toEqual([{ token: "secret", last_event_id: "7" }])
    expect(socket.binaryType).toBe("arraybuffer")
  })

  it("is answered by status and headers, then by the bytes of the stream until its end", async () => {
    const { opened, socket } = open()
    socket.open()
    socket.receive(HEAD)
    const stream = await opened
    expect([stream.status, stream.header("content-type"), stream.header("retry-after")]).toEqual([200, "text/event-stream", null])
    socket.receive(bytes("before it is read, "))
    const { heard, ended } = read(stream)
    socket.receive(bytes("and after"))
    socket.end(1000)
    await ended
    expect(heard).toEqual(["before it is read, ", "and after"])
  })

  it("that is cut rejects, and says by which code", async () => {
    const { opened, socket } = open()
    socket.receive(HEAD)
    const { ended } = read(await opened)
    socket.end(1006)
    await expect(ended).rejects.toThrow("1006")
  })

  it.each([1000, 1006])("that is closed (%d) before it began rejects", async (code) => {
    const { opened, socket } = open()
    socket.end(code)
    await expect(opened).rejects.toThrow()
  })

  it("that nobody answers is given up in time, so that fetch may be tried", async () => {
    const { opened } = open()
    await vi.advanceTimersByTimeAsync(WEBSOCKET_PATIENCE_MS)
    await expect(opened).rejects.toThrow("1006")
    expect(vi.getTimerCount()).toBe(0)
  })

  it("is left alone once it was answered", async () => {
    const { opened, socket } = open()
    socket.receive(HEAD)
    await opened
    await vi.advanceTimersByTimeAsync(10 * WEBSOCKET_PATIENCE_MS)
    expect(socket.readyState).not.toBe(FakeWebSocket.CLOSED)
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each(["before it began", "while it is read"])("is closed when its signal aborts %s, and rejects with the reason", async (when) => {
    const controller = new AbortController()
    const { opened, socket } = open({ signal: controller.signal })
    let result: Promise<unknown> = opened
    if (when === "while it is read") {
      socket.receive(HEAD)
      result = read(await opened).ended
    }
    controller.abort(new Error("the page goes"))
    await expect(result).rejects.toThrow("the page goes")
    await Promise.resolve()
    expect(socket.readyState).toBe(FakeWebSocket.CLOSED)
    expect(vi.getTimerCount()).toBe(0)
  })

  it("is not opened for a signal that has aborted: nobody would ever close it", async () => {
    const { opened } = open({ signal: AbortSignal.abort(new Error("the page has gone")) })
    await expect(opened).rejects.toThrow("the page has gone")
    expect(FakeWebSocket.made).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })

  it("whose first message cannot be read rejects", async () => {
    const { opened, socket } = open()
    socket.receive("<h1>Bad gateway</h1>")
    await expect(opened).rejects.toThrow()
    await Promise.resolve()
    expect(socket.readyState).toBe(FakeWebSocket.CLOSED)
  })

  it("is closed when its reader throws, and rejects with that", async () => {
    const { opened, socket } = open()
    socket.receive(HEAD)
    const stream = await opened
    const ended = stream.read(() => {
      throw new Error("too large")
    })
    socket.receive(bytes("x"))
    await expect(ended).rejects.toThrow("too large")
    await Promise.resolve()
    expect(socket.readyState).toBe(FakeWebSocket.CLOSED)
  })
})

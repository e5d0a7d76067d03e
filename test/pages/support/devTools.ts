import WebSocket from "ws"

/** A connection to a browser over the DevTools protocol; one socket for the browser and all its tabs. */
export interface DevTools {
  send<Result = unknown>(method: string, params?: object, tab?: string): Promise<Result>
  /** Hears one kind of event, of one tab when it is named, until the returned function is called. */
  on<Params>(event: string, listener: (params: Params) => void, tab?: string): () => void
  close(): void
}

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
  readonly sessionId?: string
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

interface Waiting {
  readonly method: string
  readonly tab: string | undefined
  resolve(result: unknown): void
  reject(error: Error): void
}

interface Listener {
  readonly event: string
  readonly tab: string | undefined
  hear(params: unknown): void
}

export async function connectDevTools(url: string): Promise<DevTools> {
  const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 0 })
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve)
    socket.once("error", reject)
  })
  const waiting = new Map<number, Waiting>()
  const listeners = new Set<Listener>()
  let lastId = 0

  function giveUp(reason: string, tab?: string): void {
    for (const [id, { method, reject, tab: ofTab }] of waiting) {
      if (tab !== undefined && ofTab !== tab) continue
      waiting.delete(id)
      reject(new Error(`${method}: ${reason}`))
    }
  }

  socket.on("close", () => giveUp("The browser is gone."))
  socket.on("message", (data: Buffer) => {
    const message = JSON.parse(data.toString()) as Message
    if (message.id === undefined) {
      const { method, params, sessionId } = message
      if (method === "Target.detachedFromTarget") giveUp("The tab is gone.", (params as { sessionId: string }).sessionId)
      for (const { event, tab, hear } of listeners) {
        if (event === method && (tab === undefined || tab === sessionId)) hear(params)
      }
      return
    }
    const asked = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.error) asked?.reject(new Error(`${asked.method}: ${message.error.message}`))
    else asked?.resolve(message.result)
  })

  return {
    send: <Result>(method: string, params: object = {}, tab?: string) =>
      new Promise<Result>((resolve, reject) => {
        const id = ++lastId
        waiting.set(id, { method, tab, resolve, reject })
        socket.send(JSON.stringify({ id, method, params, ...(tab !== undefined && { sessionId: tab }) }))
      }),
    on<Params>(event: string, listener: (params: Params) => void, tab?: string) {
      const entry: Listener = { event, tab, hear: listener }
      listeners.add(entry)
      return () => void listeners.delete(entry)
    },
    close: () => socket.close(),
  }
}

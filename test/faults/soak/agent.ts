import type { SeededRandom } from "../random.ts"
import type { Ledger } from "./ledger.ts"

export interface AgentOptions {
  readonly name: string
  readonly random: SeededRandom
  readonly ledger: Ledger
  readonly sessionId: string
  readonly apiKey: string
  baseUrl(): string
  /** Milliseconds of real time. */
  wait(ms: number): Promise<void>
  /** How often the server has lost its memory. */
  amnesias(): number
}

export interface Agent {
  /** No new calls; resolves when the last one is settled. */
  stop(): Promise<void>
  /** The calls whose outcome is still missing. */
  readonly waiting: readonly string[]
}

interface Outcome {
  readonly call_id: string
  readonly text: string
  readonly is_error: boolean
}

/** Longer than the longest wait that it asks for. */
const PATIENCE_MS = 5_000

/** An agent that calls tools one after the other, repeats requests whose answer was lost, and joins calls again. */
export function createAgent(options: AgentOptions): Agent {
  const { random, ledger } = options
  const root = (): string => `${options.baseUrl()}/v1/sessions/${options.sessionId}`
  const waiting = new Set<string>()
  let isStopped = false
  let calls = 0

  async function ask(method: string, path: string, body?: object, key?: string): Promise<{ status: number; body: unknown }> {
    const response = await fetch(root() + path, {
      method,
      headers: {
        authorization: `Bearer ${options.apiKey}`,
        ...(body && { "content-type": "application/json" }),
        ...(key !== undefined && { "idempotency-key": key }),
      },
      body: body ? JSON.stringify(body) : null,
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    const text = await response.text()
    return { status: response.status, body: text ? (JSON.parse(text) as unknown) : undefined }
  }

  /** Asks until somebody has answered that is no fault of the way. */
  async function askOn(method: string, path: string, body?: object, key?: string): Promise<{ status: number; body: unknown }> {
    for (;;) {
      try {
        const answered = await ask(method, path, body, key)
        // The proxy's faults are of the server's kinds; an agent can only try again.
        if (![401, 429, 410].includes(answered.status) && answered.status < 500) return answered
      } catch {
        // No answer, or none that is JSON.
      }
      await options.wait(20 + random.below(200))
    }
  }

  async function call(tool: string): Promise<void> {
    const key = `${options.name}-${++calls}`
    const amnesias = options.amnesias()
    const forgot = (): boolean => options.amnesias() !== amnesias
    const body = { tool, arguments: { key, words: "Grüße 🎈 你好" } }
    ledger.count("called")
    waiting.add(`${key} (${tool})`)
    try {
      let answered = await askOn("POST", "/tool-calls?wait=2", body, key)
      const willCancel = random.chance(0.05)
      while (answered.status === 202) {
        const { call_id } = answered.body as Outcome
        const verb = willCancel ? "POST" : "GET"
        answered = await askOn(verb, `/tool-calls/${call_id}${willCancel ? "/cancel" : "?wait=2"}`)
      }
      if (answered.status === 404) {
        const { code } = (answered.body as { error: { code: string } }).error
        // Its tool has gone meanwhile, or its server has forgotten it.
        if (code === "tool_not_found" || forgot() || (code === "session_not_found" && amnesias > 0)) return ledger.count("not there")
      }
      if (answered.status !== 200) return ledger.violated(`The agent ${options.name} was answered ${answered.status}: ${JSON.stringify(answered.body)}`)
      const outcome = answered.body as Outcome
      ledger.count(outcome.is_error ? "failed" : "answered")
      ledger.told(outcome.call_id, JSON.stringify(outcome))
      if (!outcome.is_error && !outcome.text.startsWith(`${outcome.call_id} ${key} `)) {
        ledger.violated(`The call ${outcome.call_id} was answered with another's text: ${outcome.text.slice(0, 200)}`)
      }
      // The outcome never changes: asked once more, and by the same request again.
      for (const again of [await askOn("GET", `/tool-calls/${outcome.call_id}?wait=0`), await askOn("POST", "/tool-calls?wait=0", body, key)]) {
        // A server that has forgotten it may settle it once more, as the page tells it.
        if (forgot()) continue
        if (again.status === 200 && (again.body as Outcome).call_id === outcome.call_id) ledger.told(outcome.call_id, JSON.stringify(again.body))
        else ledger.violated(`A settled call was told again as ${again.status} ${JSON.stringify(again.body)}`)
      }
    } finally {
      waiting.delete(`${key} (${tool})`)
    }
  }

  const running = (async () => {
    const inFlight = new Set<Promise<void>>()
    while (!isStopped) {
      await options.wait(random.below(60))
      const { status, body } = await askOn("GET", "/tools")
      if (status !== 200 || inFlight.size >= 8) continue
      const tools = body as readonly { name: string }[]
      if (tools.length === 0) continue
      const one = call(random.pick(tools).name)
      inFlight.add(one)
      void one.finally(() => inFlight.delete(one))
    }
    await Promise.all(inFlight)
  })()

  return {
    async stop() {
      isStopped = true
      await running
    },
    get waiting() {
      return [...waiting]
    },
  }
}

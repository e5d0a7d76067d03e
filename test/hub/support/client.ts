import { WebSocket } from "ws"
import { onTestFinished } from "vitest"
import { createHubClient, type HubClient, type HubClientOptions } from "../../../src/hub/index.ts"
import type { RawTool } from "../../../src/tool/tool.ts"
import type { ToolResult } from "../../../src/tool/tool.ts"
import { createFakeClock, type FakeClock } from "../../../src/testing/fakeClock.ts"
import { FORECAST } from "./hub.ts"

export interface TestClient {
  readonly client: HubClient
  readonly clock: FakeClock
  /** What went to `onError`. */
  readonly errors: readonly unknown[]
}

/** A hub client over real sockets, under a clock that stands still; closed when the test is. */
export function createTestClient(url: string, options: Partial<HubClientOptions> = {}): TestClient {
  const clock = createFakeClock()
  const errors: unknown[] = []
  const client = createHubClient({ url, auth: { token: "ada" }, WebSocket, clock, onError: (error) => void errors.push(error), ...options })
  onTestFinished(async () => {
    const closed = client.close()
    await clock.advance(60_000)
    await closed
  })
  return { client, clock, errors }
}

interface Readable<State> {
  readonly state: State
  subscribe(listener: (state: State) => void): () => void
}

/** Resolves with the first state that `matches`, the present one too. */
export const until = <State, Match extends State>(store: Readable<State>, matches: (state: State) => state is Match): Promise<Match> =>
  new Promise((resolve) => {
    const look = (state: State): void => {
      if (!matches(state)) return
      unsubscribe()
      resolve(state)
    }
    let unsubscribe = (): void => {}
    unsubscribe = store.subscribe(look)
    look(store.state)
  })

/** Resolves when the state has this status. */
export const untilStatus = <State extends { readonly status: string }, Status extends State["status"]>(store: Readable<State>, status: Status) =>
  until(store, (state): state is Extract<State, { readonly status: Status }> => state.status === status)

export const forecastTool = (execute: (args: { readonly city: string }) => ToolResult): RawTool<{ readonly city: string }> => ({
  description: FORECAST.description,
  parameters: FORECAST.parameters,
  execute,
})

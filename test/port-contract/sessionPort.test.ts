import { createAuthorizedRequests } from "../../src/session/authorizedRequests.ts"
import { createSessionPort } from "../../src/session/sessionPort.ts"
import { createHttpTransport } from "../../src/wire/httpTransport.ts"
import { createHarness } from "../server/support/createHarness.ts"
import { describePort } from "./portContract.ts"

describePort("the HTTP session", async () => {
  const { server, sessionId, token, clock, page, dispatched } = await createHarness()
  let isCut = false
  const fetch: typeof globalThis.fetch = (input, init) =>
    isCut ? Promise.reject(new TypeError("The network is down.")) : server.fetch(new Request(input, init))
  const requests = createAuthorizedRequests(createHttpTransport("http://sessions.test", fetch), clock, () => token, () => {})
  const port = createSessionPort(requests, `/v1/sessions/${sessionId}`)
  const events = await page.stream()
  return {
    port,
    async offered({ name }) {
      const prefix = `client__${name}__`
      return (await server.tools(sessionId)).flatMap((tool) => (tool.name.startsWith(prefix) ? tool.name.slice(prefix.length) : []))
    },
    async call({ name }, tool, args) {
      const { call, outcome } = await dispatched(events, `client__${name}__${tool}`, args)
      return { callId: call.call_id, tool: call.tool, arguments: call.arguments, answered: outcome }
    },
    // No ping came within its ttl.
    forget: () => clock.advance(2 * 60_000),
    cut() {
      isCut = true
      return Promise.resolve()
    },
  }
})

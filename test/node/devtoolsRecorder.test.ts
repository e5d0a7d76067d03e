// What the live panel records of real sessions: over HTTP, and at a hub.
import { expect, it, onTestFinished } from "vitest"
import { createSessionClient } from "../../src/client.ts"
import { createRecorder, type Recorder } from "../../src/devtools/recorder/recorder.ts"
import { createSessionServer, serve } from "../../src/server/index.ts"
import type { Session } from "../../src/toolClient/session.ts"
import { createTestClient } from "../hub/support/client.ts"
import { startHub } from "../hub/support/hub.ts"

/** Takes a snapshot at each change. */
function record(session: Session): Recorder {
  const recorder = createRecorder(session, (snapshot) => queueMicrotask(snapshot))
  onTestFinished(recorder.start())
  return recorder
}

const until = (recorder: Recorder, isReached: () => boolean): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (!isReached()) return
      unsubscribe()
      resolve()
    }
    const unsubscribe = recorder.subscribe(look)
    look()
  })

const ADD = { description: "Adds.", parameters: { type: "object" }, execute: (args: unknown) => `Added ${JSON.stringify(args)}.` }

it("An agent's call over HTTP, its requests and its times are recorded; a call by hand stays in the page", async () => {
  const server = createSessionServer({ apiKey: "key", secret: "a secret of thirty-two bytes, at least" })
  const served = await serve(server)
  const { id, token } = await server.createSession()
  const session = createSessionClient({ baseUrl: served.url, getToken: () => token }).open(id)
  onTestFinished(async () => {
    await session.close()
    await served.close()
    await server.close()
  })
  const recorder = record(session)
  const client = session.createToolClient("web")
  client.addTool("add", ADD)
  await client.ready

  expect(await server.callTool(id, "client__web__add", { n: 1 })).toMatchObject({ text: 'Added {"n":1}.' })
  await until(recorder, () => recorder.state.calls[0]?.record.phase === "answered" && recorder.state.calls[0].ackedAt !== undefined)
  const [call] = recorder.state.calls
  expect(call?.record.receivedAt).toBeLessThanOrEqual(call?.answeringAt ?? 0)
  expect(recorder.state.requests.map(({ type, outcome }) => `${type} ${outcome}`)).toEqual(expect.arrayContaining(["register taken", "ack taken", "answer taken"]))
  expect(recorder.state.statuses.map(({ client: of, status }) => `${of ?? "session"} ${status}`)).toEqual([
    "session connecting",
    "web joining",
    "session open",
    "web serving",
  ])

  recorder.callByHand(recorder.state.clients[0]?.key ?? -1, "add", { n: 2 })
  await until(recorder, () => recorder.state.calls[1]?.record.phase === "answered")
  expect(recorder.state.calls[1]?.record).toMatchObject({ answer: { text: 'Added {"n":2}.' } })
  expect(recorder.state.requests.filter(({ type }) => type === "answer")).toHaveLength(1)
})

it("A hub's calls are recorded too, although it knows no acks", async () => {
  const hub = await startHub()
  const { client } = createTestClient(hub.url)
  const recorder = record(client)
  const remote = client.createToolClient("adder")
  remote.addTool("add", ADD)
  await remote.ready
  expect(await createTestClient(hub.url).client.call("adder", "add", { n: 1 })).toBe('Added {"n":1}.')
  await until(recorder, () => recorder.state.calls[0]?.record.phase === "answered")
  expect(recorder.state.calls[0]).toMatchObject({ tool: "add", client: "adder", ackedAt: undefined })
  recorder.callByHand(recorder.state.clients[0]?.key ?? -1, "add", { n: 2 })
  await until(recorder, () => recorder.state.calls[1]?.record.phase === "answered")
  expect(recorder.state.calls[1]?.record.answer?.text).toBe('Added {"n":2}.')
})

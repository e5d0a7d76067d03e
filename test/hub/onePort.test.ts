import { expect, it, onTestFinished } from "vitest"
import { createHubServer, createSessionServer, serve } from "../../src/server/index.ts"
import { createTestClient } from "./support/client.ts"
import { authenticate } from "./support/hub.ts"

it("a hub is served beside a session server, on one port, and ends with it", async () => {
  const sessions = createSessionServer({ apiKey: "key", secret: "a secret of thirty-two bytes, at least" })
  const hub = createHubServer({ authenticate })
  const served = await serve(sessions, { hub })
  onTestFinished(() => sessions.close())
  const { client } = createTestClient(`${served.url}/ws`)
  await client.createToolClient("weather-service").ready
  expect(hub.remotesOf("ada").functions("weather-service")).toEqual([])
  const created = await fetch(`${served.url}/v1/sessions`, { method: "POST", headers: { authorization: "Bearer key" } })
  expect(created.status).toBe(201)
  await created.json()
  await served.close()
  await hub.close()
  expect(hub.remotesOf("ada").functions("weather-service")).toBeUndefined()
})

it("a hub that is closed is attached no more", async () => {
  const hub = createHubServer({ authenticate })
  await hub.close()
  await expect(hub.attach({ on: expect.fail, off: expect.fail } as never)).rejects.toThrow("The hub is closed")
})

import { describe, expect, it } from "vitest"
import { startHub } from "../../test/hub/support/hub.ts"
import { createTestClient, forecastTool, until, untilStatus } from "../../test/hub/support/client.ts"

const page = (type: string, persisted: boolean): void => {
  const event = new Event(type)
  Object.defineProperty(event, "persisted", { value: persisted })
  window.dispatchEvent(event)
}

async function serve() {
  const { url, hub, session } = await startHub()
  const { client, clock } = createTestClient(url)
  const weather = client.createToolClient("weather-service")
  weather.addTool("get_forecast", forecastTool(() => "sunny"))
  await weather.ready
  return { hub, client, clock, weather, watcher: await session() }
}

describe("a page at a hub", () => {
  it("that goes into the back/forward cache closes its socket, and serves again when it is back, under the same name", async () => {
    const { client, weather, watcher } = await serve()
    page("pagehide", true)
    await watcher.nextWhere(({ action }) => action === "remote-disconnected")
    expect(client.state.status).toBe("reconnecting")
    page("pageshow", true)
    await untilStatus(weather, "serving")
    expect(await client.call("weather-service", "get_forecast")).toBe("sunny")
  })

  it("that goes for good closes its socket", async () => {
    const { watcher, weather } = await serve()
    page("pagehide", false)
    await watcher.nextWhere(({ action }) => action === "remote-disconnected")
    expect(weather.state.status).toBe("joining")
  })

  it("that was frozen opens another socket, since the old one may be dead", async () => {
    const { client, weather } = await serve()
    document.dispatchEvent(new Event("resume"))
    await until(client, (state): state is typeof state => state.status !== "open")
    await untilStatus(weather, "serving")
  })

  it("that is back after a sleep replaces its socket at once", async () => {
    const { client, clock, weather } = await serve()
    clock.jump(8 * 60 * 60_000)
    window.dispatchEvent(new Event("online"))
    expect(client.state.status).toBe("reconnecting")
    await untilStatus(weather, "serving")
  })

  it("is listened to no more once the client is closed", async () => {
    const { client } = await serve()
    await client.close()
    page("pageshow", true)
    expect(client.state.status).toBe("closed")
  })
})

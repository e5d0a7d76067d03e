import type { ComponentType } from "react"
import { expect, it, vi } from "vitest"
import "../react/support/console.ts"
import { mount, MODES } from "../react/support/mount.tsx"
import { agent, fails, says, settled } from "./support/agent.ts"

it.each(MODES)("README.md: the browser's own agent switches the lamp$mode", async ({ strict }) => {
  const { Lamp } = (await import("docs:README.md/Lamp.tsx")) as { Lamp: ComponentType }
  const { container, unmount } = await mount(<Lamp />, { strict })
  await vi.waitFor(async () => expect(await agent.names()).toEqual(["switch_lamp"]), { timeout: 5_000, interval: 20 })
  expect(await agent.call("switch_lamp", { on: true })).toEqual(says("The lamp is on."))
  expect(container.textContent).toBe("on")
  expect(await agent.call("switch_lamp", { on: "maybe" })).toEqual(fails("on"))
  unmount()
  await settled()
  expect(await agent.names()).toEqual([])
})

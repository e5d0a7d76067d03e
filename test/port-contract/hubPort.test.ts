import { WebSocket } from "ws"
import { onTestFinished } from "vitest"
import { createHubLink } from "../../src/hub/hubLink.ts"
import { createHubPort } from "../../src/hub/hubPort.ts"
import { createWaiter } from "../../src/lib/waiter.ts"
import type { ToolAnswer } from "../../src/tool/toolSpec.ts"
import type { Dispatch } from "../../src/toolClient/port.ts"
import { startHub } from "../hub/support/hub.ts"
import { until } from "../hub/support/client.ts"
import { describePort, type PortHarness, type ReachedCall } from "./portContract.ts"

async function start(knowsUpdate: boolean): Promise<PortHarness> {
  const { url, clock, hub, session } = await startHub()
  const reached: ((dispatch: Dispatch) => void)[] = []
  const link = createHubLink({
    url,
    auth: { token: "ada" },
    WebSocket: knowsUpdate ? WebSocket : WithoutUpdate,
    clock,
    onCall(socket, call) {
      const ours = port.receive(socket, call)
      if (ours) reached.shift()?.(ours.dispatch)
    },
    onEvent() {},
    onError() {},
  })
  const port = createHubPort({ link, clock, waiter: createWaiter(clock) })
  link.connect()
  await link.whenOpen()
  onTestFinished(() => link.close())
  const agent = await session()
  return {
    port,
    offered: ({ name }) => Promise.resolve((hub.remotesOf("ada").functions(name) ?? []).map((tool) => tool.name)),
    async call({ name }, tool, args): Promise<ReachedCall> {
      const dispatched = new Promise<Dispatch>((resolve) => reached.push(resolve))
      const answered = agent.ask({ action: "remote-call", body: { remotename: name, function: tool, args } }).then(
        ({ error, result }): ToolAnswer => ({ text: (error ?? result) as string, is_error: error !== undefined }),
      )
      return { ...(await dispatched), answered }
    },
    async forget({ name }) {
      await agent.ask({ action: "remote-disconnect", body: { remotename: name } })
      if (!port.disconnected(name)) throw new Error("The port did not serve it.")
    },
    async cut() {
      await hub.close()
      await until(link, (state): state is typeof state => state.status !== "open")
    },
  }
}

/** On its way the one action that other hubs do not know is spoilt. */
class WithoutUpdate extends WebSocket {
  override send(data: string): void {
    super.send(data.replace('"remote-update"', '"remote-updat"'))
  }
}

describePort("the hub", () => start(true))
describePort("a hub without remote-update", () => start(false))

// What the browser tests find beyond their page: an action host and a hub on a port of this machine, of another origin than the page's.
import { getRequestListener } from "@hono/node-server"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { TestProject } from "vitest/node"
import { z } from "zod"
import { createHubServer } from "../../../src/server/index.ts"
import { createActionHost, defineAction, ProviderRegistry, Services } from "../../../src/tools.ts"
import { demo, type Seen, SeenService } from "../../action/support/demoProviders.ts"

declare module "vitest" {
  export interface ProvidedContext {
    readonly loopback: { readonly hostUrl: string; readonly hubUrl: string }
  }
}

/** How many calls of `demoWait` were told that nobody waits for them any more. */
const aborted = defineAction({
  id: "aborted",
  name: "Aborted",
  input: z.object({}),
  output: z.number(),
  execute: (_input, { services }) => services.get(SeenService).waiting.filter((signal) => signal.aborted).length,
})

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const seen: Seen = { calls: [], waiting: [], onWaiting() {} }
  const services = new Services().set(SeenService, seen)
  const registry = new ProviderRegistry({ providers: [demo, { id: "seen", name: "Seen", actions: [aborted] }], services })
  const host = createActionHost({ registry, authorize: "anyone", allowedOrigins: "*", logger: quiet })
  const hub = createHubServer({ authenticate: ({ token }) => token ?? null, allowedOrigins: "*" })
  const listener = getRequestListener(host.fetch, { overrideGlobalObjects: false })
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing))
  await hub.attach(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  provide("loopback", { hostUrl: `http://127.0.0.1:${port}`, hubUrl: `ws://127.0.0.1:${port}/ws` })
  return async () => {
    await hub.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

import { createActionClient, createActionHost, type Logger, type Tool } from "react-tool-client/tools"
import { createDemo, type Seen } from "./demoProviders.ts"
import { serve } from "./serve.ts"

export const quiet: Logger = { debug() {}, info() {}, warn() {}, error() {} }

export interface DemoMap {
  readonly tools: Readonly<Record<string, Tool>>
  readonly seen: Seen
}

/** The same actions in process and over a real loopback server. */
export const MAPS: readonly { readonly where: string; create(): Promise<DemoMap> }[] = [
  {
    where: "in process",
    async create() {
      const { registry, seen } = createDemo()
      return { tools: await registry.toTools(), seen }
    },
  },
  {
    where: "over HTTP",
    async create() {
      const { registry, services, seen } = createDemo()
      const host = createActionHost({ registry, authorize: "anyone", services, logger: quiet })
      const client = createActionClient({ baseUrl: await serve(host.fetch) })
      return { tools: client.toTools(await client.manifest()), seen }
    },
  },
]

export function toolOf(tools: Readonly<Record<string, Tool>>, name: string): Tool {
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
  if (!tool) throw new Error(`no tool ${name} among ${Object.keys(tools).join(", ")}`)
  return tool
}

/** What a promise rejects with. */
export const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => Promise.reject(new Error(`resolved with ${JSON.stringify(value)}`)),
    (error: unknown) => error,
  )

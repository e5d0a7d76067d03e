import { type ActionClient, manifestOf, type ProviderRegistry, type Tool } from "react-tool-client/tools"

/** A registry of this page as if it were a host's: whoever has a client of either cannot tell which. */
export function createInProcessClient(registry: ProviderRegistry): ActionClient {
  let tools: Readonly<Record<string, Tool>> = {}
  return {
    baseUrl: "in-process",
    async manifest() {
      tools = await registry.toTools()
      return manifestOf(registry)
    },
    toTools: () => tools,
  }
}

import type { ActionClient, Tool } from "react-tool-client/tools"

/** The same client, which tells how long each call took. Milliseconds. */
export function measured(client: ActionClient, onTime: (ms: number) => void): ActionClient {
  const timed = (tool: Tool): Tool => ({
    ...tool,
    async execute(input, context) {
      const start = performance.now()
      try {
        return await tool.execute(input, context)
      } finally {
        onTime(performance.now() - start)
      }
    },
  })
  return {
    ...client,
    toTools(manifest) {
      const tools: Readonly<Record<string, Tool>> = client.toTools(manifest)
      return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, timed(tool)]))
    },
  }
}

import { expect } from "vitest"

/** What the browser's own agent is told of a tool. */
export interface RegisteredTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: object
  readonly annotations: Readonly<Record<string, unknown>>
}

interface BrowserContext extends EventTarget {
  getTools(): Promise<readonly RegisteredTool[]>
  executeTool(tool: RegisteredTool, input: unknown, options?: { readonly signal?: AbortSignal }): Promise<string | null>
  registerTool(tool: object, options?: { readonly signal?: AbortSignal }): Promise<void>
}

export const context = (document as unknown as { readonly modelContext: BrowserContext }).modelContext

/** What the browser's agent does: it finds tools by name, and calls them. */
export const agent = {
  tools: async (): Promise<readonly RegisteredTool[]> => [...(await context.getTools())],
  names: async (): Promise<readonly string[]> => (await context.getTools()).map(({ name }) => name),
  async tool(name: string): Promise<RegisteredTool> {
    const tool = (await context.getTools()).find((one) => one.name === name)
    if (!tool) throw new Error(`The agent finds no tool "${name}".`)
    return tool
  },
  /** The result as the page gave it. */
  async call(name: string, input: unknown = {}, signal?: AbortSignal): Promise<unknown> {
    return agent.callFound(await agent.tool(name), input, signal)
  },
  /** Calls what was found before, whatever has become of it since. */
  async callFound(tool: RegisteredTool, input: unknown = {}, signal?: AbortSignal): Promise<unknown> {
    const text = await context.executeTool(tool, input, signal && { signal })
    return JSON.parse(text ?? "null") as unknown
  },
}

/** A result that says `text`. */
export const says = (text: string) => ({ content: [{ type: "text", text }] })

/** A result that says that the call failed, by a text that has `part` in it. */
export const fails = (part: string) => ({ content: [{ type: "text", text: expect.stringContaining(part) as string }], isError: true })

/** A tool of some other script's; returns its removal. */
export async function registerForeign(name: string): Promise<() => void> {
  const controller = new AbortController()
  const execute = (): string => JSON.stringify(says("foreign"))
  await context.registerTool({ name, description: "Another script's.", execute }, { signal: controller.signal })
  return () => controller.abort()
}

/** What the agent found at each change of the document's tools, until it is stopped. */
export function watchTools(): { readonly seen: readonly (readonly RegisteredTool[])[]; readonly changes: number; stop(): void } {
  const seen: (readonly RegisteredTool[])[] = []
  let changes = 0
  const look = (): void => {
    changes++
    void agent.tools().then((tools) => seen.push(tools))
  }
  context.addEventListener("toolchange", look)
  return {
    seen,
    get changes() {
      return changes
    },
    stop: () => context.removeEventListener("toolchange", look),
  }
}

/** Resolves when all that was begun has had its events: the browser fires them in tasks of its own. */
export async function settled(): Promise<void> {
  for (let count = 0; count < 3; count++) {
    await new Promise((resolve) => requestAnimationFrame(resolve))
    await context.getTools()
  }
}

/** The same resource may be asked for under another query. */
export const loads = (part: string): readonly string[] =>
  performance
    .getEntriesByType("resource")
    .map(({ name }) => name)
    .filter((name) => name.includes(part))

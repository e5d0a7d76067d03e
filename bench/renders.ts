import { JSDOM } from "jsdom"
import type { ComponentType, createElement as CreateElement } from "react"
import { z } from "zod"
import type { ToolClient } from "../src/index.ts"
import { median, milliseconds, type Row } from "./table.ts"

const RENDERS = 100
/** Fewer than a server takes of one client. */
const MANY_TOOLS = 100
const FEW_TOOLS = 20
const CHANGED_TOOLS = 5

/** React looks for a document when it is loaded, so everything that needs it is loaded after this. */
function installDocument(): HTMLElement {
  const { window } = new JSDOM('<div id="root"></div>', { pretendToBeVisual: true })
  Object.assign(globalThis, { window, document: window.document, navigator: window.navigator })
  return window.document.body
}

export async function benchRenders(): Promise<Row[]> {
  const body = installDocument()
  const { createElement, useEffect } = await import("react")
  const { createRoot } = await import("react-dom/client")
  const { flushSync } = await import("react-dom")
  const { useTool, useToolClient } = await import("../src/index.ts")
  const { createTestSession } = await import("../src/testing/index.ts")
  const session = createTestSession()

  /** Renders `App` with a count again and again; resolves with the milliseconds of each commit, effects included. */
  async function renderTimes(App: ComponentType<{ count: number }>, renders: number): Promise<number[]> {
    const root = createRoot(body.appendChild(document.createElement("div")))
    const render = (count: number): void => flushSync(() => root.render(createElement(App, { count })))
    render(0)
    await session.settle()
    const times: number[] = []
    for (let count = 1; count <= renders; count++) {
      const began = performance.now()
      render(count)
      // The flush of changed tools is a microtask after the passive effects.
      await Promise.resolve()
      await Promise.resolve()
      times.push(performance.now() - began)
    }
    await session.settle()
    lastRequests = session.requests("update").length
    root.unmount()
    await session.settle()
    return times
  }
  let lastRequests = 0

  const schema = z.object({ title: z.string() })
  const toolOf = (h: typeof CreateElement, inner: ComponentType<{ client: ToolClient; index: number; count: number }>, tools: number) =>
    function App({ count }: { count: number }) {
      const client = useToolClient(session, "bench")
      return Array.from({ length: tools }, (_, index) => h(inner, { key: index, client, index, count }))
    }

  const WithTool = ({ client, index, count }: { client: ToolClient; index: number; count: number }) => {
    useTool(client, `tool_${index}`, { description: `Tool ${index}.`, schema, execute: () => `${count}` })
    return `${index} ${count}`
  }
  const WithEffect = ({ index, count }: { index: number; count: number }) => {
    useEffect(() => {})
    return `${index} ${count}`
  }
  const InlineSchema = ({ client, index, count }: { client: ToolClient; index: number; count: number }) => {
    useTool(client, `tool_${index}`, {
      description: `Tool ${index}.`,
      schema: z.object({ title: z.string(), done: z.boolean().default(false) }),
      execute: () => `${count}`,
    })
    return null
  }
  const ChangingDescription = ({ client, index, count }: { client: ToolClient; index: number; count: number }) => {
    useTool(client, `tool_${index}`, {
      description: index < CHANGED_TOOLS ? `Tool ${index}, ${count}.` : `Tool ${index}.`,
      schema,
      execute: () => `${count}`,
    })
    return null
  }

  const withTools = await renderTimes(toolOf(createElement, WithTool, MANY_TOOLS), RENDERS)
  const without = await renderTimes(toolOf(createElement, WithEffect as typeof WithTool, MANY_TOOLS), RENDERS)
  const before = session.requests("update").length
  await renderTimes(toolOf(createElement, InlineSchema, FEW_TOOLS), RENDERS)
  const inlineRequests = lastRequests - before
  const beforeChange = session.requests("update").length
  await renderTimes(toolOf(createElement, ChangingDescription, FEW_TOOLS), 1)
  const changeRequests = lastRequests - beforeChange

  return [
    {
      what: `${RENDERS} re-renders of ${FEW_TOOLS} inline tools`,
      ours: `${inlineRequests} requests`,
      beside: "",
      ratio: "",
      goal: "0 requests",
    },
    {
      what: `a commit that changes ${CHANGED_TOOLS} of ${FEW_TOOLS}`,
      ours: `${changeRequests} request`,
      beside: "",
      ratio: "",
      goal: "1 request",
    },
    {
      what: `re-render with ${MANY_TOOLS} useTool`,
      ours: milliseconds(median(withTools)),
      beside: `${milliseconds(median(without))} the same component with an empty effect`,
      ratio: `${(median(withTools) / median(without)).toFixed(2)}x`,
      goal: "",
    },
  ]
}

// What each library is measured with, in the browser: the same components, rendered by the same React.
import { type ComponentType, createElement, type ReactNode } from "react"
import { createRoot } from "react-dom/client"
import { flushSync } from "react-dom"

export interface ToolProps {
  readonly name: string
  readonly description: string
  /** What the handler closes over: another one in each render. */
  readonly value: number
}

/** One library, as its own documents use it. */
export interface Subject {
  /** What its hook needs around it. */
  readonly Root: ComponentType<{ readonly children: ReactNode }>
  /** A tool whose definition is written inline, schema included. */
  readonly Inline: ComponentType<ToolProps>
  /** A tool whose definition is memoised, for those who may: only its description decides. */
  readonly Stable: ComponentType<ToolProps>
  /** How often the agent's side was told of tools: requests, registrations, notifications. */
  notices(): number
  /** Calls a tool as the agent does, with what it gives back as text. */
  call(name: string): Promise<unknown>
  /** Resolves when nothing is under way. */
  settle(): Promise<void>
}

export type Kind = "Inline" | "Stable"

/** One sample. */
export interface Measured {
  /** Milliseconds of a mount, and of a render of what is mounted: the means of all that the sample repeats. */
  readonly mount: number
  readonly render: number
  readonly noticesOfMount: number
  /** Of all the renders together, in which nothing of a definition changed but its identity. */
  readonly noticesOfRenders: number
  readonly noticesOfChange: number
  /** Whether a call runs the handler of the last render. */
  readonly isFresh: boolean
}

const RENDERS = 10
/** Turns of the microtask queue in which what a hook puts off until after the commit has been done. */
const TURNS = 4
const CHANGED_TOOLS = 5

declare global {
  var subject: Subject
  var measure: (kind: Kind, tools: number, mounts: number) => Promise<Measured>
}

globalThis.measure = async (kind, tools, mounts) => {
  const { Root, settle, notices, call, [kind]: Tool } = globalThis.subject
  const app = (value: number, changed: number) =>
    createElement(Root, {
      children: Array.from({ length: tools }, (_, index) =>
        createElement(Tool, { key: index, name: `tool_${index}`, description: `Tool ${index}${index < changed ? `, ${value}` : ""}.`, value }),
      ),
    })
  // With what the library does in the microtasks after the commit.
  const flush = async (work: () => void): Promise<void> => {
    flushSync(work)
    for (let turn = 0; turn < TURNS; turn++) await undefined
  }
  const timed = async (work: () => Promise<void>): Promise<number> => {
    const began = performance.now()
    await work()
    return performance.now() - began
  }

  let mount = 0
  let render = 0
  // The garbage of the sample before is not this one's.
  globalThis.gc?.()
  let counts = { noticesOfMount: 0, noticesOfRenders: 0, noticesOfChange: 0, isFresh: false }
  for (let round = 0; round < mounts; round++) {
    const root = createRoot(document.body.appendChild(document.createElement("div")))
    const before = notices()
    mount += (await timed(() => flush(() => root.render(app(0, 0))))) / mounts
    await settle()
    const mounted = notices()
    render += await timed(async () => {
      for (let value = 1; value <= RENDERS; value++) await flush(() => root.render(app(value, 0)))
    })
    await settle()
    const rendered = notices()
    const isFresh = String(await call("tool_0")) === String(RENDERS)
    flushSync(() => root.render(app(RENDERS + 1, CHANGED_TOOLS)))
    await settle()
    counts = { noticesOfMount: mounted - before, noticesOfRenders: rendered - mounted, noticesOfChange: notices() - rendered, isFresh }
    flushSync(() => root.unmount())
    await settle()
  }
  return { mount, render: render / (RENDERS * mounts), ...counts }
}

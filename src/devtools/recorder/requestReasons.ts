import { canonicalJson } from "../../tool/canonicalJson.ts"
import { reasonOf } from "../../tool/reason.ts"
import type { ToolSpec } from "../../tool/toolSpec.ts"
import type { Sent } from "./wrapPort.ts"

/** What is remembered of one tool client between its requests. */
interface Memory {
  registrations: number
  published: readonly ToolSpec[]
  /** When the server took a request of it. */
  signAt: number
  /** What of its requests failed last, by type and call, until one like it is taken. */
  readonly failures: Map<string, string>
  /** Why it has to register again. */
  lost: string | undefined
  /** The stream has opened, and no ping has followed yet. */
  isOpened: boolean
}

/** Tells why each request is sent, from what came before it. */
export interface RequestReasons {
  why(client: string, sent: Sent, tool: string | undefined, now: number): string
  ended(client: string, sent: Sent, error: unknown, isGone: boolean, now: number): void
  opened(): void
}

const kindOf = ({ type, callId = "" }: Sent): string => type + callId

const count = (amount: number, what: string): string => `${amount} ${what}${amount === 1 ? "" : "s"}`

/** `+ added, ~ changed (description), − removed`. */
export function toolsChange(before: readonly ToolSpec[], after: readonly ToolSpec[]): string {
  const known = new Map(before.map((spec) => [spec.name, spec]))
  const names = new Set(after.map((spec) => spec.name))
  const parts = after.flatMap((spec) => {
    const old = known.get(spec.name)
    if (!old) return [`+ ${spec.name}`]
    const keys = [...new Set([...Object.keys(old), ...Object.keys(spec)])] as (keyof ToolSpec)[]
    const changed = keys.filter((key) => canonicalJson(old[key] ?? null) !== canonicalJson(spec[key] ?? null))
    return changed.length > 0 ? [`~ ${spec.name} (${changed.join(", ")})`] : []
  })
  return [...parts, ...before.filter((spec) => !names.has(spec.name)).map((spec) => `− ${spec.name}`)].join(", ")
}

export function createRequestReasons(): RequestReasons {
  const memories = new Map<string, Memory>()

  function memoryOf(client: string): Memory {
    const known = memories.get(client)
    if (known) return known
    const fresh: Memory = { registrations: 0, published: [], signAt: 0, failures: new Map(), lost: undefined, isOpened: false }
    memories.set(client, fresh)
    return fresh
  }

  function firstWhy(memory: Memory, { type, word, tools = [] }: Sent, tool: string | undefined, now: number): string {
    switch (type) {
      case "register":
        if (memory.registrations === 0) return `first registration, with ${count(tools.length, "tool")}`
        return `registers again: ${memory.lost ?? "the page or its session came back"}`
      case "update":
        return toolsChange(memory.published, tools) || "the same set once more: the server may have forgotten it"
      case "ping":
        if (word === "leaving") return "the page goes away"
        if (word === "suspended") return "the page goes into the back/forward cache"
        if (memory.isOpened) return "the stream is open again"
        return `due: ${Math.round((now - memory.signAt) / 1000)} s since the last sign of life`
      case "ack":
        return `a call of ${tool ?? "a tool"} came`
      case "progress":
        return `${tool ?? "a tool"} says how far it is`
      case "answer":
        return `${tool ?? "a tool"} has its answer`
      case "delete":
        return "nobody uses the tool client any more"
      default:
        return type satisfies never
    }
  }

  return {
    why(client, sent, tool, now) {
      const memory = memoryOf(client)
      const failure = memory.failures.get(kindOf(sent))
      const why = firstWhy(memory, sent, tool, now)
      if (sent.type === "ping") memory.isOpened = false
      return failure === undefined || sent.type === "ack" || sent.type === "progress" ? why : `${why} (again, after: ${failure})`
    },
    ended(client, sent, error, isGone, now) {
      const memory = memoryOf(client)
      if (error !== undefined) {
        memory.failures.set(kindOf(sent), reasonOf(error))
        if (isGone) memory.lost = `the server did not know it at the last ${sent.type}`
        return
      }
      memory.failures.delete(kindOf(sent))
      memory.signAt = now
      if (sent.tools) memory.published = sent.tools
      if (sent.type !== "register") return
      memory.registrations++
      memory.lost = undefined
      memory.isOpened = false
    },
    opened() {
      for (const memory of memories.values()) memory.isOpened = true
    },
  }
}

import { REMOTE_EVENTS, type HubEvent, type RemoteListEntry } from "../../hub/messages.ts"
import { RemoteError } from "../../hub/remoteError.ts"
import { ToolError } from "../../action/toolError.ts"
import { untilAborted } from "../../action/untilAborted.ts"
import { hasMethods } from "../../lib/checkOptions.ts"
import { callSafely, reportToConsole } from "../../lib/callSafely.ts"
import { MODEL_NAME_MAX_LENGTH, NAME_SUFFIX_RESERVE } from "../../tool/names.ts"
import { reasonOf } from "../../tool/reason.ts"
import type { AgentToolSource } from "../agentToolSource.ts"
import type { WatchedRemotes } from "../hubUser.ts"
import type { ModelTool } from "../modelTools.ts"

/** What a source needs of a hub's client; `createHubClient` of `react-tool-client/hub` gives one. */
export interface RemoteHub {
  remotes(options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly RemoteListEntry[]>
  call(remotename: string, name: string, args?: unknown, options?: { readonly signal?: AbortSignal | undefined }): Promise<unknown>
  onEvent(listener: (event: HubEvent) => void): () => void
}

interface RemoteTool {
  readonly remotename: string
  readonly functionName: string
  readonly tool: ModelTool
}

const TELLING: readonly string[] = Object.values(REMOTE_EVENTS)

/** As models and clients take a name; a remote's may hold anything. */
const clean = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, "_")

/** Enough to tell a user's functions apart (FNV-1a, 32 bits), the same in every process. */
function tagOf(text: string): string {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash.toString(36).padStart(7, "0")
}

/**
 * `{remote}__{function}`, no longer than models take. One that had to be changed carries a tag of what it was, so that of two which
 * would look alike neither is taken for the other when one has gone.
 */
function nameOf(remotename: string, functionName: string): string {
  const plain = `${remotename}__${functionName}`
  if (clean(plain) === plain && plain.length <= MODEL_NAME_MAX_LENGTH) return plain
  const tag = `_${tagOf(JSON.stringify([remotename, functionName]))}`
  return clean(plain).slice(0, MODEL_NAME_MAX_LENGTH - tag.length) + tag
}

/** Each function under its name; of two that are called the same all the same, the later one gets a number. */
function named(entries: readonly RemoteListEntry[]): readonly RemoteTool[] {
  const taken = new Set<string>()
  return entries.map(({ remotename = "", name: functionName, description, parameters }) => {
    const wanted = nameOf(remotename, functionName)
    let name = wanted
    for (let count = 2; taken.has(name); count++) name = `${wanted.slice(0, MODEL_NAME_MAX_LENGTH - NAME_SUFFIX_RESERVE)}_${count}`
    taken.add(name)
    return { remotename, functionName, tool: { name, description, parameters } }
  })
}

/** @throws TypeError for what is neither */
function checkHub(hub: unknown): void {
  if (hasMethods(hub, "remotes", "call", "onEvent") || hasMethods(hub, "list", "call", "watch")) return
  throw new TypeError("remoteSource needs a hub's client (createHubClient), or hub.remotesOf(userId) of a hub server.")
}

const hubOf = (hub: RemoteHub | WatchedRemotes): RemoteHub =>
  "remotes" in hub
    ? hub
    : {
        remotes: () => Promise.resolve(hub.list()),
        call: (remotename, name, args) => hub.call(remotename, name, args),
        onEvent: (listener) => hub.watch(() => listener({ action: REMOTE_EVENTS.updated })),
      }

/**
 * The functions of a user's remotes, each under `{remote}__{function}`; a name that models do not take, or longer than 64 characters, is changed. A hub's call cannot be cancelled and reports no progress: after an
 * abort nobody waits for it any more.
 *
 * @param from - A hub's client, or `hub.remotesOf(userId)` of a hub server in this process.
 * @throws TypeError for what is no hub
 * @example
 * await mcpServer(remoteSource(hub)).connect(new StdioServerTransport())
 */
export function remoteSource(from: RemoteHub | WatchedRemotes): AgentToolSource {
  checkHub(from)
  const hub = hubOf(from)
  const list = async (): Promise<readonly RemoteTool[]> => named(await hub.remotes())
  const tools = async (): Promise<readonly ModelTool[]> => (await list()).map(({ tool }) => tool)

  return {
    tools,
    async callTool(name, args, { signal } = {}) {
      try {
        const known = await list()
        const found = known.find(({ tool }) => tool.name === name)
        if (!found) throw new ToolError("not_found", "", `No tool "${name}" is offered. Offered now: ${known.map(({ tool }) => tool.name).join(", ") || "none"}.`)
        const value = await untilAborted(signal, () => hub.call(found.remotename, found.functionName, args, { signal }))
        return { text: typeof value === "string" ? value : JSON.stringify(value), is_error: false }
      } catch (error) {
        if (error instanceof ToolError) throw error
        if (signal?.aborted) throw new ToolError("aborted", "", "The call was cancelled; it may have run.", { cause: error })
        // What the remote itself answered with.
        if (error instanceof RemoteError && error.code === "failed") return { text: error.message, is_error: true }
        throw new ToolError("failed", "", reasonOf(error), { cause: error })
      }
    },
    watchTools(listener) {
      let isStopped = false
      let asked = 0
      const look = async (): Promise<void> => {
        const turn = ++asked
        try {
          const offered = await tools()
          if (!isStopped && turn === asked) listener(offered)
        } catch (error) {
          if (!isStopped) callSafely(reportToConsole, error, reportToConsole)
        }
      }
      const stop = hub.onEvent(({ action }) => {
        if (TELLING.includes(action)) void look()
      })
      void look()
      return () => {
        isStopped = true
        stop()
      }
    },
  }
}

import { useCallback, useEffect, useState } from "react"
import { type ToolClient, useToolClientState } from "react-tool-client"
import type { AgentApi, AgentTool } from "./agentApi.ts"

/** How often tools of other pages of the session are looked for while this one is visible, in milliseconds. */
const POLL_MS = 3000

export interface SessionTools {
  /** `null` until they are known. */
  readonly tools: readonly AgentTool[] | null
  readonly error: Error | null
}

const UNKNOWN: SessionTools = { tools: null, error: null }

/** The same object where nothing has changed, so that nothing renders. */
function next(now: SessionTools, tools: readonly AgentTool[]): SessionTools {
  const isSame = now.error === null && JSON.stringify(now.tools) === JSON.stringify(tools)
  return isSame ? now : { tools, error: null }
}

/** What an agent can call now: anew at each change of this page's own tools, and by and by for those of others. */
export function useSessionTools(agent: AgentApi | null, client: ToolClient): SessionTools {
  const [known, setKnown] = useState(UNKNOWN)
  // Another list after each update that the server has taken; a changed schema alone leaves it, and comes with the next look.
  const own = useToolClientState(client, ({ tools }) => tools)
  const settled = useToolClientState(client, ({ calls }) => calls.filter(({ settledAt }) => settledAt !== undefined).at(-1)?.callId)

  const look = useCallback(
    async (signal: AbortSignal): Promise<void> => {
      if (!agent) return
      try {
        const tools = await agent.tools(signal)
        setKnown((now) => next(now, tools))
      } catch (error) {
        if (!signal.aborted) setKnown((now) => ({ ...now, error: error as Error }))
      }
    },
    [agent],
  )

  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    const lookIfVisible = (): void => {
      if (document.visibilityState === "visible") void look(signal)
    }
    void look(signal)
    const timer = setInterval(lookIfVisible, POLL_MS)
    document.addEventListener("visibilitychange", lookIfVisible, { signal })
    return () => {
      controller.abort()
      clearInterval(timer)
    }
  }, [look, own, settled])

  return known
}

import { callSafely, type ErrorHandler, reportToConsole } from "../lib/callSafely.ts"
import type { ToolClient } from "../toolClient/toolClient.ts"
import { findModelContext } from "./modelContext.ts"
import type { Registrar } from "./registrar.ts"
import { WebMcpError } from "./webMcpError.ts"

export interface MirrorOptions {
  /**
   * Origins of frames in this tab, beside the page's own, whose scripts may see and call the tools.
   * @default none
   */
  readonly exposedTo?: readonly string[] | undefined
  /**
   * Hears which tool the browser did not take, and why: a {@link WebMcpError}, once until the name was free in between.
   * @default the `SessionProvider`'s, else `console.error`
   */
  readonly onError?: ErrorHandler | undefined
}

/** What follows one tool client after another. */
export interface Mirror {
  /** Offers what `client` declares until the returned function is called; followed again within the same tick, nothing was withdrawn. */
  follow(client: ToolClient): () => void
  /** The options may be others now. */
  changed(): void
}

/** Nothing is loaded before a client is followed in a browser that has an agent of its own. */
export function createMirror(options: () => MirrorOptions): Mirror {
  const onError: ErrorHandler = (error) => callSafely(options().onError ?? reportToConsole, error, reportToConsole)
  let followed: { readonly client: ToolClient } | undefined
  let registrar: Registrar | undefined
  let isLoading = false

  async function load(): Promise<void> {
    const context = findModelContext()
    if (!context || isLoading) return
    isLoading = true
    try {
      const { createRegistrar } = await import("./registrar.ts")
      registrar = createRegistrar({
        context,
        tools: () => followed?.client.local,
        exposedTo: () => options().exposedTo,
        onError,
      })
      registrar.schedule()
    } catch (cause) {
      onError(new WebMcpError("not_loaded", "The tools are not offered to the browser's agent: its code could not be loaded.", { cause }))
    } finally {
      isLoading = false
    }
  }

  function changed(): void {
    if (registrar) registrar.schedule()
    else if (followed) void load()
  }

  return {
    changed,
    follow(client) {
      const mine = { client }
      followed = mine
      const unsubscribe = client.local.subscribe(changed)
      changed()
      return () => {
        unsubscribe()
        if (followed === mine) followed = undefined
        changed()
      }
    },
  }
}

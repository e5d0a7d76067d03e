import type { DevTools } from "./devTools.ts"

/** One tab of a browser. */
export interface Tab {
  /** What the page said on its console as an error or threw, of all the pages that the tab has shown. */
  readonly complaints: readonly string[]
  goto(url: string): Promise<void>
  reload(): Promise<void>
  /** Goes through the tab's history. Says whether the page came out of the back/forward cache, and why not. */
  traverse(steps: number): Promise<Traversal>
  /** Runs a function in the page, which sees nothing of the test but its arguments. */
  evaluate<Args extends readonly unknown[], Result>(run: (...args: Args) => Result | Promise<Result>, ...args: Args): Promise<Result>
  /** To the front, which hides the one that was there. */
  show(): Promise<void>
  /** Stops all that the page runs, as Chromium does to save energy. */
  freeze(): Promise<void>
  thaw(): Promise<void>
  setOffline(isOffline: boolean): Promise<void>
  /** As a person closes it. */
  close(): Promise<void>
  /** Kills the page's process: none of its code runs any more. */
  crash(): Promise<void>
}

export interface Traversal {
  readonly isRestored: boolean
  /** What Chromium has against keeping the page that was traversed to; empty when it was restored. */
  readonly reasons: readonly string[]
}

interface RemoteValue {
  readonly value?: unknown
  readonly description?: string
}

interface EvaluateResult {
  readonly result: RemoteValue
  readonly exceptionDetails?: { readonly text: string; readonly exception?: RemoteValue }
}

export async function attachTab(devTools: DevTools, targetId: string): Promise<Tab> {
  const { sessionId } = await devTools.send<{ sessionId: string }>("Target.attachToTarget", { targetId, flatten: true })
  const send = <Result = unknown>(method: string, params?: object): Promise<Result> => devTools.send<Result>(method, params, sessionId)
  const on = <Params>(event: string, listener: (params: Params) => void): (() => void) => devTools.on(event, listener, sessionId)
  const next = <Params>(event: string): Promise<Params> =>
    new Promise((resolve) => {
      const stop = on<Params>(event, (params) => {
        stop()
        resolve(params)
      })
    })

  const complaints: string[] = []
  on<{ type: string; args: readonly RemoteValue[] }>("Runtime.consoleAPICalled", ({ type, args }) => {
    if (type === "error") complaints.push(args.map(({ value, description }) => description ?? String(value)).join(" "))
  })
  on<{ exceptionDetails: NonNullable<EvaluateResult["exceptionDetails"]> }>("Runtime.exceptionThrown", ({ exceptionDetails }) =>
    complaints.push(exceptionDetails.exception?.description ?? exceptionDetails.text),
  )
  await Promise.all(["Page.enable", "Runtime.enable", "Network.enable", "Inspector.enable"].map((method) => send(method)))

  const evaluate: Tab["evaluate"] = async <Args extends readonly unknown[], Result>(run: (...args: Args) => Result | Promise<Result>, ...args: Args) => {
    const expression = `(${run.toString()})(...${JSON.stringify(args)})`
    const answer = await send<EvaluateResult>("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
      // As if a person had asked for it: only then may a page open another.
      userGesture: true,
    })
    const { result, exceptionDetails } = answer
    if (exceptionDetails) throw new Error(`${exceptionDetails.exception?.description ?? exceptionDetails.text}\nin ${expression}`)
    return result.value as Result
  }

  return {
    complaints,
    async goto(url) {
      const loaded = next("Page.loadEventFired")
      const { errorText } = await send<{ errorText?: string }>("Page.navigate", { url })
      if (errorText !== undefined) throw new Error(`${url}: ${errorText}`)
      await loaded
    },
    async reload() {
      const loaded = next("Page.loadEventFired")
      await send("Page.reload")
      await loaded
    },
    async traverse(steps) {
      const { currentIndex, entries } = await send<{ currentIndex: number; entries: readonly { id: number }[] }>("Page.getNavigationHistory")
      const reasons: string[] = []
      const stop = on<{ notRestoredExplanations: readonly { reason: string }[] }>("Page.backForwardCacheNotUsed", (params) =>
        reasons.push(...params.notRestoredExplanations.map(({ reason }) => reason)),
      )
      const navigated = next<{ type: string }>("Page.frameNavigated")
      await send("Page.navigateToHistoryEntry", { entryId: entries[currentIndex + steps]?.id })
      const { type } = await navigated
      stop()
      return { isRestored: type === "BackForwardCacheRestore", reasons }
    },
    evaluate,
    show: async () => void (await send("Page.bringToFront")),
    async freeze() {
      // Chromium answers before the page is frozen: until its event has come, the page would still take what it is sent.
      await evaluate(() => void document.addEventListener("freeze", () => (document.documentElement.dataset["frozen"] = ""), { once: true }))
      await send("Page.setWebLifecycleState", { state: "frozen" })
      while (!(await evaluate(() => "frozen" in document.documentElement.dataset)));
    },
    async thaw() {
      await evaluate(() => void delete document.documentElement.dataset["frozen"])
      await send("Page.setWebLifecycleState", { state: "active" })
    },
    async setOffline(offline) {
      await send("Network.emulateNetworkConditions", { offline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 })
    },
    async close() {
      await devTools.send("Target.closeTarget", { targetId }).catch(() => {})
    },
    async crash() {
      const crashed = next("Inspector.targetCrashed")
      // Never answered: who would.
      send("Page.crash").catch(() => {})
      await crashed
    },
  }
}

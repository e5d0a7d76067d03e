// What React does with trees: moves, hides, suspends, resets and interrupts them. Tools follow, and no request is wasted.
import { useTool } from "react-tool-client"
import { createTestSession, type TestSession } from "react-tool-client/testing"
import { Activity, Component, lazy, type ReactNode, startTransition, Suspense, use, useState } from "react"
import { createPortal } from "react-dom"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { Offer, useWeb, Web } from "./support/components.tsx"
import { deferred } from "./support/deferred.ts"
import { mount, MODES } from "./support/mount.tsx"
import { publishedNames, sent } from "./support/requests.ts"

let session: TestSession
beforeEach(() => {
  session = createTestSession()
})

/** Throws once `isBroken`, and is whole again when it is reset. */
class Boundary extends Component<{ readonly children: ReactNode }, { readonly isBroken: boolean }> {
  override state = { isBroken: false }
  static getDerivedStateFromError() {
    return { isBroken: true }
  }
  override componentDidMount() {
    reset = () => this.setState({ isBroken: false })
  }
  override render() {
    return this.state.isBroken ? <Offer name="retry" /> : this.props.children
  }
}
let reset = (): void => {}

function Breaks({ isBroken }: { readonly isBroken: boolean }) {
  if (isBroken) throw new Error("broken")
  return <Offer name="page" />
}

describe.each(MODES)("tools of a tree$mode", ({ strict }) => {
  it("stay where a list changes its order, and follow its items where it grows and shrinks", async () => {
    const tree = (ids: readonly string[]) => (
      <Web session={session}>
        {ids.map((id) => (
          <Offer key={id} name={id} says={ids.join("")} />
        ))}
      </Web>
    )
    const page = await mount(tree(["a", "b", "c"]), { strict })
    await session.settle()
    for (const ids of [["c", "b", "a"], ["b", "c", "a"]]) {
      await page.render(tree(ids))
      await session.settle()
      expect((await session.callTool("a")).text).toBe(ids.join(""))
    }
    expect(sent(session)).toBe("P")
    await page.render(tree(["d", "a"]))
    await session.settle()
    expect(publishedNames(session)).toEqual(["a", "d"])
    expect(sent(session)).toBe("P U")
  })

  it.skipIf(!Activity)("of a hidden Activity come back with what was rendered while it was hidden", async () => {
    const tree = (mode: "visible" | "hidden", says: string) => (
      <Web session={session}>
        <Activity mode={mode}>
          <Offer name="a" says={says} />
        </Activity>
      </Web>
    )
    const page = await mount(tree("visible", "first"), { strict })
    await session.settle()
    await page.render(tree("hidden", "first"))
    await page.render(tree("hidden", "second"))
    await session.settle()
    expect(publishedNames(session)).toEqual([])
    await page.render(tree("visible", "second"))
    await session.settle()
    expect((await session.callTool("a")).text).toBe("second")
  })

  it.skipIf(!Activity)("answer a call that runs while their Activity is hidden", async () => {
    const done = deferred()
    function Slow() {
      useTool(useWeb(), "slow", { description: "Waits.", parameters: {}, execute: () => done.promise.then(() => "done") })
      return null
    }
    const tree = (mode: "visible" | "hidden") => (
      <Web session={session}>
        <Activity mode={mode}>
          <Slow />
        </Activity>
      </Web>
    )
    const page = await mount(tree("visible"), { strict })
    await session.settle()
    const answer = session.callTool("slow")
    await session.settle()
    await page.render(tree("hidden"))
    done.resolve()
    expect((await answer).text).toBe("done")
  })

  it("of a portal and of what is loaded later are offered as all others", async () => {
    const loaded = deferred()
    const Later = lazy(async () => {
      await loaded.promise
      return { default: () => <Offer name="later" /> }
    })
    const elsewhere = document.body.appendChild(document.createElement("div"))
    await mount(
      <Web session={session}>
        {createPortal(<Offer name="portal" />, elsewhere)}
        <Suspense>
          <Offer name="beside" />
          <Later />
        </Suspense>
      </Web>,
      { strict },
    )
    await session.settle()
    expect(publishedNames(session)).toEqual(["portal"])
    loaded.resolve()
    await vi.waitFor(() => expect(publishedNames(session)).toEqual(["beside", "later", "portal"]))
  })

  it.skipIf(!use)("stay while a component reads a promise again, and its handler is that of the last commit", async () => {
    const second = deferred()
    let show = (_promise: Promise<string>): void => {}
    function Reads() {
      // Its setter leaves it in the render, which the compiler refuses.
      "use no memo"
      const [promise, setPromise] = useState(() => Promise.resolve("first"))
      show = (next) => startTransition(() => setPromise(next))
      return <Offer name="read" says={use(promise)} />
    }
    await mount(
      <Web session={session}>
        <Suspense>
          <Reads />
        </Suspense>
      </Web>,
      { strict },
    )
    await vi.waitFor(() => expect(publishedNames(session)).toEqual(["read"]))
    show(second.promise.then(() => "second"))
    expect((await session.callTool("read")).text).toBe("first")
    second.resolve()
    await vi.waitFor(async () => expect((await session.callTool("read")).text).toBe("second"))
    // It was not there when the client registered, and never gone since.
    expect(sent(session)).toBe("P U")
  })

  it("of an interrupted transition are never offered", async () => {
    const never = deferred()
    let go = (_page: string): void => {}
    function Pages() {
      // Its setter leaves it in the render, which the compiler refuses.
      "use no memo"
      const [page, setPage] = useState("home")
      go = (next) => startTransition(() => setPage(next))
      if (page === "stuck") throw never.promise
      return <Offer name={page} />
    }
    await mount(
      <Web session={session}>
        <Suspense>
          <Pages />
        </Suspense>
      </Web>,
      { strict },
    )
    await session.settle()
    go("stuck")
    await session.settle()
    go("next")
    await vi.waitFor(() => expect(publishedNames(session)).toEqual(["next"]))
    expect(sent(session)).toBe("P U")
  })

  it("change with an error boundary that breaks and is reset", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {})
    const tree = (isBroken: boolean) => (
      <Web session={session}>
        <Boundary>
          <Breaks isBroken={isBroken} />
        </Boundary>
      </Web>
    )
    const page = await mount(tree(false), { strict })
    await session.settle()
    await page.render(tree(true))
    await vi.waitFor(() => expect(publishedNames(session)).toEqual(["retry"]))
    await page.render(tree(false))
    reset()
    await vi.waitFor(() => expect(publishedNames(session)).toEqual(["page"]))
  })

  it("of two roots with one session share a client, which lives until both are gone", async () => {
    const one = await mount(
      <Web session={session}>
        <Offer name="a" />
      </Web>,
      { strict },
    )
    const other = await mount(
      <Web session={session}>
        <Offer name="b" />
      </Web>,
      { strict },
    )
    await session.settle()
    expect(publishedNames(session)).toEqual(["a", "b"])
    one.unmount()
    await session.settle()
    expect(publishedNames(session)).toEqual(["b"])
    expect((await session.callTool("b")).text).toBe("b ran")
    other.unmount()
    await session.settle()
    expect(session.published()).toEqual([])
    expect(session.requests().filter(({ type }) => type === "delete")).toHaveLength(1)
  })
})

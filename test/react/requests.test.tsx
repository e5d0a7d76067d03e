// What each change of a tree sends to the server: nothing twice, nothing needless, nothing absent in between.
import { Activity, Component, type ReactNode, Suspense, useEffect, useState } from "react"
import { type RawTool, type ToolClient, useTool } from "react-tool-client"
import { createTestSession, type TestSession } from "react-tool-client/testing"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { Offer, Web } from "./support/components.tsx"
import { consoleSaid } from "./support/console.ts"
import { deferred } from "./support/deferred.ts"
import { mount, MODES } from "./support/mount.tsx"
import { publishedNames, sent, toldSets } from "./support/requests.ts"
import { Waits } from "./support/Waits.tsx"

let session: TestSession
beforeEach(() => {
  session = createTestSession()
})

function Box({ children }: { readonly children?: ReactNode }) {
  return <div>{children}</div>
}

function Same({ client, tool, round = 0 }: { readonly client: ToolClient; readonly tool: RawTool; readonly round?: number }) {
  useTool(client, "same", tool)
  return <p>{round}</p>
}

function Shelf({ children }: { readonly children?: ReactNode }) {
  return <section>{children}</section>
}

describe.each(MODES)("requests$mode", ({ strict }) => {
  it("registers two mounted tools at once, and deletes the client when they unmount", async () => {
    const page = await mount(
      <Web session={session}>
        <Offer name="a" />
        <Offer name="b" />
      </Web>,
      { strict },
    )
    await session.settle()
    expect(sent(session)).toBe("P")
    expect(publishedNames(session)).toEqual(["a", "b"])
    page.unmount()
    await session.settle()
    expect(sent(session)).toBe("P D")
    expect(session.published()).toEqual([])
    expect(session.clock.pending).toBe(0)
  })

  it("sends nothing for a tool whose key changes", async () => {
    const tree = (key: number) => (
      <Web session={session}>
        <Offer key={key} name="a" />
        <Offer name="b" />
      </Web>
    )
    const page = await mount(tree(1), { strict })
    await session.settle()
    await page.render(tree(2))
    await session.settle()
    expect(sent(session)).toBe("P")
  })

  it("sends nothing when the key of the client's owner changes", async () => {
    const tree = (key: number) => (
      <Web key={key} session={session}>
        <Offer name="a" />
      </Web>
    )
    const page = await mount(tree(1), { strict })
    await session.settle()
    await page.render(tree(2))
    await session.settle()
    expect(sent(session)).toBe("P")
    expect(publishedNames(session)).toEqual(["a"])
  })

  it("sends nothing when a tool moves from one parent to another", async () => {
    const tree = (isLeft: boolean) => (
      <Web session={session}>
        <Box>{isLeft && <Offer name="a" />}</Box>
        <Shelf>{!isLeft && <Offer name="a" />}</Shelf>
      </Web>
    )
    const page = await mount(tree(true), { strict })
    await session.settle()
    await page.render(tree(false))
    await session.settle()
    await page.render(tree(true))
    await session.settle()
    expect(sent(session)).toBe("P")
  })

  it("sends nothing when the client's owner moves from one parent to another", async () => {
    const web = (
      <Web session={session}>
        <Offer name="a" />
      </Web>
    )
    const page = await mount(<Box>{web}</Box>, { strict })
    await session.settle()
    await page.render(<Shelf>{web}</Shelf>)
    await session.settle()
    expect(sent(session)).toBe("P")
    expect(publishedNames(session)).toEqual(["a"])
  })

  it("asks nothing of the client in a re-render whose definition is the same object", async () => {
    const client = session.createToolClient("web")
    const touch = vi.spyOn(client, "touch")
    const tool = { description: "Says so.", parameters: { type: "object" }, execute: () => "so" }
    const page = await mount(<Same client={client} tool={tool} />, { strict })
    touch.mockClear()
    for (let round = 1; round <= 10; round++) await page.render(<Same client={client} tool={tool} round={round} />)
    expect(touch).not.toHaveBeenCalled()
    await page.render(<Same client={client} tool={{ ...tool, description: "Says more." }} />)
    expect(touch).toHaveBeenCalledTimes(1)
    await session.settle()
    expect(session.published()[0]?.description).toBe("Says more.")
  })

  it("sends nothing for 100 re-renders with everything inline", async () => {
    const tree = (count: number) => (
      <Web session={session} options={{ onError: () => {}, lifetime: { type: "ttl", data: { seconds: 30 } } }}>
        <Offer name="a" says={`render ${count}`} />
        <Offer name="b" says={`render ${count}`} />
      </Web>
    )
    const page = await mount(tree(0), { strict })
    for (let count = 1; count <= 100; count++) await page.render(tree(count))
    await session.settle()
    expect(sent(session)).toBe("P")
    expect((await session.callTool("a")).text).toBe("render 100")
  })

  it("sends one update for a commit that adds, removes and changes tools, and no kept name is absent", async () => {
    const page = await mount(
      <Web session={session}>
        <Offer name="kept" />
        <Offer name="changed" />
        <Offer name="removed" />
      </Web>,
      { strict },
    )
    await session.settle()
    await page.render(
      <Web session={session}>
        <Offer name="kept" />
        <Offer name="changed" description="Does something else." />
        {null}
        <Offer name="added" />
      </Web>,
    )
    await session.settle()
    expect(sent(session)).toBe("P U")
    expect(toldSets(session)).toEqual([
      ["changed", "kept", "removed"],
      ["added", "changed", "kept"],
    ])
    expect(session.published().find(({ name }) => name === "changed")?.description).toBe("Does something else.")
  })

  it("sends one update for a tool that is renamed", async () => {
    const tree = (name: string) => (
      <Web session={session}>
        <Offer name={name} />
        <Offer name="kept" />
      </Web>
    )
    const page = await mount(tree("before"), { strict })
    await session.settle()
    await page.render(tree("after"))
    await session.settle()
    expect(toldSets(session)).toEqual([
      ["before", "kept"],
      ["after", "kept"],
    ])
  })

  it("registers once with all tools, deep ones too, when the session becomes known", async () => {
    const tree = (known: TestSession | null) => (
      <Web session={known}>
        <Offer name="a" />
        <Box>
          <Shelf>
            <Offer name="deep" />
          </Shelf>
        </Box>
      </Web>
    )
    const page = await mount(tree(null), { strict })
    await session.settle()
    expect(sent(session)).toBe("")
    await page.render(tree(session))
    await session.settle()
    expect(toldSets(session)).toEqual([["a", "deep"]])
  })

  it("moves all tools to another session: registered there, deleted here", async () => {
    const other = createTestSession({ id: "other" })
    const tree = (known: TestSession) => (
      <Web session={known}>
        <Offer name="a" />
        <Offer name="b" />
      </Web>
    )
    const page = await mount(tree(session), { strict })
    await session.settle()
    await page.render(tree(other))
    await session.settle()
    expect(sent(session)).toBe("P D")
    expect(toldSets(other)).toEqual([["a", "b"]])
    await page.render(tree(session))
    await session.settle()
    expect(sent(session)).toBe("P D P")
    expect(sent(other)).toBe("P D")
    expect(publishedNames(session)).toEqual(["a", "b"])
  })

  it("ends at the right session however fast it changes", async () => {
    const other = createTestSession({ id: "other" })
    const tree = (known: TestSession | null) => (
      <Web session={known}>
        <Offer name="a" />
      </Web>
    )
    const page = await mount(tree(session), { strict })
    const release = session.hold()
    const releaseOther = other.hold()
    for (const known of [other, session, null, other, session]) await page.render(tree(known))
    release()
    releaseOther()
    await session.settle()
    await session.settle()
    expect(publishedNames(session)).toEqual(["a"])
    expect(other.published()).toEqual([])
    expect(session.requests("register").length - session.requests("delete").length).toBe(1)
    expect(other.requests("register").length).toBe(other.requests("delete").length)
  })

  it("registers nothing for a first render that suspends, and once when it is there", async () => {
    const later = deferred()
    const page = await mount(
      <Suspense fallback="waits">
        <Web session={session}>
          <Offer name="beside" />
          <Waits until={later.promise}>
            <Offer name="a" />
          </Waits>
        </Web>
      </Suspense>,
      { strict },
    )
    await session.settle()
    expect(page.container.textContent).toBe("waits")
    expect(sent(session)).toBe("")
    later.resolve()
    await vi.waitFor(() => expect(page.container.textContent).not.toBe("waits"))
    await session.settle()
    expect(toldSets(session)).toEqual([["a", "beside"]])
  })

  it("keeps client and tools while a mounted tree suspends again behind its fallback", async () => {
    const later = deferred()
    const tree = (until: Promise<void> | undefined) => (
      <Suspense fallback="waits">
        <Web session={session}>
          <Offer name="beside" />
          <Waits until={until}>
            <Offer name="inside" />
          </Waits>
        </Web>
      </Suspense>
    )
    const page = await mount(tree(undefined), { strict })
    await session.settle()
    await page.render(tree(later.promise))
    await session.settle()
    expect(page.container.textContent).toBe("waits")
    expect(publishedNames(session)).toEqual(["beside", "inside"])
    expect((await session.callTool("inside")).text).toBe("inside ran")
    later.resolve()
    await vi.waitFor(() => expect(page.container.textContent).not.toBe("waits"))
    await session.settle()
    expect(sent(session)).toBe("P")
  })

  it.skipIf(!Activity)("withdraws the tool of a hidden Activity and offers it again when it is shown", async () => {
    const tree = (isShown: boolean) => (
      <Web session={session}>
        <Offer name="kept" />
        <Activity mode={isShown ? "visible" : "hidden"}>
          <Offer name="a" />
        </Activity>
      </Web>
    )
    const page = await mount(tree(true), { strict })
    await session.settle()
    await page.render(tree(false))
    await session.settle()
    expect(publishedNames(session)).toEqual(["kept"])
    await page.render(tree(true))
    await session.settle()
    expect(publishedNames(session)).toEqual(["a", "kept"])
    expect(sent(session)).toBe("P U U")
  })

  it.skipIf(!Activity)("deletes the client of a hidden Activity and registers it when it is shown; hidden from the start sends nothing", async () => {
    const tree = (isShown: boolean) => (
      <Activity mode={isShown ? "visible" : "hidden"}>
        <Web session={session}>
          <Offer name="a" />
        </Web>
      </Activity>
    )
    const page = await mount(tree(false), { strict })
    await session.settle()
    expect(sent(session)).toBe("")
    await page.render(tree(true))
    await session.settle()
    await page.render(tree(false))
    await session.settle()
    expect(session.published()).toEqual([])
    await page.render(tree(true))
    await session.settle()
    expect(sent(session)).toBe("P D P")
    expect(publishedNames(session)).toEqual(["a"])
  })

  it("sends nothing, and warns of nothing, when one commit swaps pages that offer one tool name", async () => {
    const page = await mount(
      <Web session={session}>
        <Box>
          <Offer name="search" says="first page" />
        </Box>
      </Web>,
      { strict },
    )
    await session.settle()
    await page.render(
      <Web session={session}>
        <Shelf>
          <Offer name="search" says="second page" />
        </Shelf>
      </Web>,
    )
    await session.settle()
    expect(sent(session)).toBe("P")
    expect((await session.callTool("search")).text).toBe("second page")
    expect(consoleSaid()).toEqual([])
  })

  it("shares one client among its owners: one leaving is an update, the last one the delete", async () => {
    const tree = (first: boolean, second: boolean) => (
      <>
        {first && (
          <Web session={session}>
            <Offer name="a" />
          </Web>
        )}
        {second && (
          <Web session={session}>
            <Offer name="b" />
          </Web>
        )}
      </>
    )
    const page = await mount(tree(true, true), { strict })
    await session.settle()
    expect(toldSets(session)).toEqual([["a", "b"]])
    await page.render(tree(false, true))
    await session.settle()
    expect(publishedNames(session)).toEqual(["b"])
    await page.render(tree(false, false))
    await session.settle()
    expect(sent(session)).toBe("P U D")
  })

  it("removes what an error boundary removes", async () => {
    // React 18 throws what it caught once more, at the window.
    window.addEventListener("error", preventDefault)
    const tree = (isBroken: boolean) => (
      <Boundary>
        <Web session={session}>
          <Offer name="a" />
          <Broken isBroken={isBroken} />
        </Web>
      </Boundary>
    )
    const page = await mount(tree(false), { strict })
    await session.settle()
    await page.render(tree(true))
    // React 18 commits the boundary's fallback later.
    await vi.waitFor(() => expect(page.container.textContent).toBe("broken"))
    await session.settle()
    expect(sent(session)).toBe("P D")
    expect(session.published()).toEqual([])
    consoleSaid()
    window.removeEventListener("error", preventDefault)
  })

  it("really leaves for a session that is null for one commit", async () => {
    const page = await mount(<Flaps session={session} isFlapping={false} />, { strict })
    await session.settle()
    await page.render(<Flaps session={session} isFlapping />)
    await session.settle()
    expect(publishedNames(session)).toEqual(["a"])
    expect(session.requests("register").length - session.requests("delete").length).toBe(1)
  })
})

const preventDefault = (event: Event): void => event.preventDefault()

class Boundary extends Component<{ readonly children: ReactNode }> {
  override readonly state = { isBroken: false }
  static getDerivedStateFromError() {
    return { isBroken: true }
  }
  override render() {
    return this.state.isBroken ? "broken" : this.props.children
  }
}

function Broken({ isBroken }: { readonly isBroken: boolean }) {
  if (isBroken) throw new Error("broken on purpose")
  return null
}

/** Takes its session away and gives it back in an effect. */
function Flaps({ session, isFlapping }: { readonly session: TestSession; readonly isFlapping: boolean }) {
  const [isBack, setIsBack] = useState(false)
  useEffect(() => {
    if (isFlapping) setIsBack(true)
  }, [isFlapping])
  return (
    <Web session={isFlapping && !isBack ? null : session}>
      <Offer name="a" />
    </Web>
  )
}

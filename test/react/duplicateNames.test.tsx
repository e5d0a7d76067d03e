// Two components that offer one tool name: the last mounted serves, the others wait behind it.
import { Activity, type ReactNode, Suspense } from "react"
import { pageTool, useTools } from "react-tool-client"
import { createTestSession, type TestSession } from "react-tool-client/testing"
import { beforeEach, describe, expect, it } from "vitest"
import { Offer, useWeb, Web } from "./support/components.tsx"
import { consoleSaid } from "./support/console.ts"
import { deferred } from "./support/deferred.ts"
import { mount, MODES } from "./support/mount.tsx"
import { publishedNames, sent } from "./support/requests.ts"
import { Waits } from "./support/Waits.tsx"

let session: TestSession
beforeEach(() => {
  session = createTestSession()
})

const bottom = <Offer key="bottom" name="search" says="bottom" />
const top = <Offer key="top" name="search" says="top" />
const answer = async (): Promise<string> => (await session.callTool("search", {}, { client: "web" })).text

describe.each(MODES)("two components with one tool name$mode", ({ strict }) => {
  const tree = (...tools: ReactNode[]) => <Web session={session}>{tools}</Web>

  async function mountBoth(...tools: ReactNode[]) {
    const page = await mount(tree(bottom), { strict })
    await page.render(tree(bottom, ...(tools.length > 0 ? tools : [top])))
    await session.settle()
    return page
  }

  it("are told of once, by the tool's and the client's name, and the last mounted serves", async () => {
    const page = await mountBoth()
    expect(await answer()).toBe("top")
    for (let count = 0; count < 5; count++) await page.render(tree(bottom, top))
    await page.render(tree(bottom))
    await page.render(tree(bottom, top))
    await session.settle()
    const said = consoleSaid()
    expect(said).toHaveLength(1)
    expect(said[0]).toContain('"search"')
    expect(said[0]).toContain('"web"')
    expect(sent(session)).toBe("P")
  })

  it("serve again one after the other as they unmount", async () => {
    const page = await mountBoth()
    consoleSaid()
    await page.render(tree(bottom))
    await session.settle()
    expect(await answer()).toBe("bottom")
    await page.render(tree())
    await session.settle()
    expect(session.published()).toEqual([])
    expect(sent(session)).toBe("P U")
  })

  it("are one update when the top leaves and the other's definition differs", async () => {
    const page = await mountBoth(<Offer key="other" name="search" description="Searches elsewhere." says="other" />)
    consoleSaid()
    expect(sent(session)).toBe("P U")
    expect(await answer()).toBe("other")
    await page.render(tree(bottom))
    await session.settle()
    expect(sent(session)).toBe("P U U")
    expect(session.published()[0]?.description).toBe("Does search.")
    expect(await answer()).toBe("bottom")
  })

  it("lose nothing when the bottom leaves", async () => {
    const page = await mountBoth()
    consoleSaid()
    await page.render(tree(top))
    await session.settle()
    expect(await answer()).toBe("top")
    expect(sent(session)).toBe("P")
  })

  it("keep their order when one of them is re-rendered or changed", async () => {
    const page = await mountBoth()
    consoleSaid()
    await page.render(tree(<Offer key="bottom" name="search" says="bottom again" description="Searches again." />, top))
    await session.settle()
    expect(await answer()).toBe("top")
    expect(sent(session)).toBe("P")
  })

  it("have the bottom serve while the top is disabled, without a notice", async () => {
    const page = await mountBoth(<Offer key="top" name="search" says="top" enabled={false} />)
    expect(consoleSaid()).toEqual([])
    expect(await answer()).toBe("bottom")
    await page.render(tree(bottom, top))
    await session.settle()
    expect(await answer()).toBe("top")
    expect(consoleSaid()).toHaveLength(1)
  })

  it("have the bottom serve while the top's definition is refused", async () => {
    await mountBoth(<Offer key="top" name="search" description="" says="top" />)
    expect(String(consoleSaid()[0])).toContain("search")
    expect(await answer()).toBe("bottom")
  })

  it.each(["with its parent", "later", "when its code is there", ...((Activity as unknown) ? ["when it is shown"] : [])])("may be parent and child, of which the child serves: it mounts %s", async (when) => {
    const code = deferred()
    const child = <Offer name="search" says="child" />
    const nested = (inner: ReactNode) => (
      <Nest key="nest" name="search" says="parent">
        {inner}
      </Nest>
    )
    if (when === "with its parent") await mount(tree(nested(child)), { strict })
    else if (when === "later") await (await mount(tree(nested(null)), { strict })).render(tree(nested(child)))
    else if (when === "when it is shown") {
      const page = await mount(tree(nested(<Activity mode="hidden">{child}</Activity>)), { strict })
      await page.render(tree(nested(<Activity mode="visible">{child}</Activity>)))
    } else {
      await mount(
        tree(
          nested(
            <Suspense>
              <Waits until={code.promise} />
              {child}
            </Suspense>,
          ),
        ),
        { strict },
      )
      await session.settle()
      expect(await answer()).toBe("parent")
      code.resolve()
    }
    await expect.poll(answer).toBe("child")
    expect(consoleSaid()).toHaveLength(1)
  })

  it.skipIf(!Activity)("serve by when they were mounted, not by when they were rendered first", async () => {
    const early = (mode: "hidden" | "visible") => (
      <Activity key="early" mode={mode}>
        <Offer name="search" says="rendered first" />
      </Activity>
    )
    const page = await mount(tree(early("hidden")), { strict })
    await page.render(tree(early("hidden"), top))
    await session.settle()
    expect(await answer()).toBe("top")
    await page.render(tree(early("visible"), top))
    await session.settle()
    await expect.poll(answer).toBe("rendered first")
    expect(consoleSaid()).toHaveLength(1)
  })

  it("may have different clients, and then nothing is told", async () => {
    await mount(
      <>
        <Web session={session}>{bottom}</Web>
        <Web session={session} name="panel">
          {top}
        </Web>
      </>,
      { strict },
    )
    await session.settle()
    expect(publishedNames(session, "web")).toEqual(["search"])
    expect(publishedNames(session, "panel")).toEqual(["search"])
    expect((await session.callTool("search", {}, { client: "panel" })).text).toBe("top")
  })

  it("may be sharers of one client, and are told of", async () => {
    const both = (isSecond: boolean) => (
      <>
        <Web session={session}>{bottom}</Web>
        {isSecond && <Web session={session}>{top}</Web>}
      </>
    )
    const page = await mount(both(true), { strict })
    await session.settle()
    expect(await answer()).toBe("top")
    await page.render(both(false))
    await session.settle()
    expect(await answer()).toBe("bottom")
    expect(consoleSaid()).toHaveLength(1)
    expect(sent(session)).toBe("P")
  })

  it("may be an entry of a set, which is the last mounted when it comes back", async () => {
    const set = (...names: string[]) => <Names key="set" names={names} />
    const page = await mount(tree(set("search"), bottom), { strict })
    await session.settle()
    expect(await answer()).toBe("bottom")
    await page.render(tree(set(), bottom))
    await session.settle()
    await page.render(tree(set("search"), bottom))
    await session.settle()
    expect(await answer()).toBe("set")
    expect(consoleSaid()).toHaveLength(1)
  })

  it("may be entries of one list, of which the last serves, with a notice", async () => {
    await mount(tree(<List key="list" />), { strict })
    await session.settle()
    expect(new Set(consoleSaid())).toEqual(new Set([expect.stringContaining("two tools of one useTools list have the same name")]))
    expect(await answer()).toBe("second")
    expect(sent(session)).toBe("P")
  })
})

function Nest({ name, says, children }: { readonly name: string; readonly says: string; readonly children: ReactNode }) {
  useTools(useWeb(), { [name]: pageTool({ description: `Does ${name}.`, parameters: {}, execute: () => says }) })
  return children
}

function Names({ names }: { readonly names: readonly string[] }) {
  useTools(
    useWeb(),
    names.map((name) => ({ name, description: `Does ${name}.`, parameters: {}, execute: () => "set" })),
  )
  return null
}

function List() {
  useTools(useWeb(), [
    { name: "search", description: "Searches.", parameters: {}, execute: () => "first" },
    { name: "search", description: "Searches.", parameters: {}, execute: () => "second" },
  ])
  return null
}

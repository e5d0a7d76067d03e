// Who hears what goes wrong with a client that several components share.
import type { ReactNode } from "react"
import { SessionProvider, useTool, useToolClient } from "react-tool-client"
import { createTestSession, type TestSession } from "react-tool-client/testing"
import { beforeEach, describe, expect, it } from "vitest"
import { consoleSaid } from "./support/console.ts"
import { mount, MODES } from "./support/mount.tsx"

let session: TestSession
let heard: string[]
beforeEach(() => {
  session = createTestSession()
  heard = []
})

const hears = (who: string) => (error: unknown) => heard.push(`${who}: ${(error as { code?: string }).code ?? String(error)}`)

function Owner({ who, hasHandler = true, description = "Sound." }: { readonly who: string; readonly hasHandler?: boolean; readonly description?: string }) {
  const client = useToolClient(session, "web", hasHandler ? { onError: hears(who) } : {})
  useTool(client, who, { description, parameters: {}, execute: () => who })
  return null
}

const tree = (...owners: ReactNode[]) => (
  <SessionProvider client={session.client} onError={hears("provider")}>
    {owners}
  </SessionProvider>
)

describe.each(MODES)("of a shared client$mode", ({ strict }) => {
  it("a definition that is refused is told to the onError of the owner that declared it, by page and by server", async () => {
    const page = await mount(tree(<Owner key="1" who="one" />, <Owner key="2" who="two" />), { strict })
    await session.settle()
    await page.render(tree(<Owner key="1" who="one" />, <Owner key="2" who="two" description="" />))
    await session.settle()
    expect(heard).toEqual(["two: no_description"])
    await page.render(tree(<Owner key="1" who="one" description="" />, <Owner key="2" who="two" />))
    await session.settle()
    expect(heard).toEqual(["two: no_description", "one: no_description"])
  })

  it("what fails in the background is told to the first owner that lives and has a handler, else to the provider's", async () => {
    const one = <Owner key="1" who="one" />
    const two = (hasHandler: boolean) => <Owner key="2" who="two" hasHandler={hasHandler} />
    const page = await mount(tree(one, two(true)), { strict })
    await session.settle()
    let count = 0
    const fails = async (...owners: ReactNode[]): Promise<void> => {
      await page.render(tree(...owners))
      await session.settle()
      heard.length = 0
      session.failNext("update", 403)
      await page.render(tree(...owners, <Owner key="3" who={`other_${++count}`} hasHandler={false} />))
      await session.settle()
    }
    await fails(one, two(true))
    expect(heard).toEqual([expect.stringMatching(/^one: /)])
    await fails(two(true))
    expect(heard).toEqual([expect.stringMatching(/^two: /)])
    await fails(two(false))
    expect(heard).toEqual([expect.stringMatching(/^provider: /)])
  })
})

describe.each(MODES)("hooks whose client is deleted$mode", ({ strict }) => {
  it.each(["deleted", "closed"])("are told of in development when it is %s and they are still mounted", async (how) => {
    await mount(tree(<Owner key="1" who="one" />), { strict })
    await session.settle()
    const shared = session.shareToolClient("web")
    shared.release()
    if (how === "closed") await session.close()
    else await session.deleteToolClient(shared.client)
    await session.settle()
    expect(consoleSaid()).toEqual([expect.stringMatching(/"web" was deleted.*still mounted.*Unmount/)])
  })

  it("are not told of when they unmount before it is gone", async () => {
    const page = await mount(tree(<Owner key="1" who="one" />), { strict })
    await session.settle()
    const closing = session.close()
    page.unmount()
    await closing
    expect(consoleSaid()).toEqual([])
  })
})

// One tool client for all who ask for its name in one session: who owns it, and how the last one lets it go.
import type { ReactNode } from "react"
import { type ToolClientOptions, useTool } from "react-tool-client"
import { createTestSession, type TestSession } from "react-tool-client/testing"
import { beforeEach, describe, expect, it } from "vitest"
import { Offer, Ready, Status, useWeb, Web } from "./support/components.tsx"
import { consoleSaid } from "./support/console.ts"
import { type Deferred, deferred } from "./support/deferred.ts"
import { mount, MODES } from "./support/mount.tsx"
import { publishedNames, sent } from "./support/requests.ts"

let session: TestSession
beforeEach(() => {
  session = createTestSession()
})

const ttl = (seconds: number): ToolClientOptions => ({ lifetime: { type: "ttl", data: { seconds } } })

/** What was sent, in order, acks and pings aside. */
function order(): readonly string[] {
  const requests = session.requests().filter(({ type }) => type !== "ack" && type !== "ping")
  return requests.map((request) => ("tools" in request ? [request.type, ...request.tools].join(" ") : request.type))
}

describe.each(MODES)("a shared tool client$mode", ({ strict }) => {
  const owners = (first: ToolClientOptions | null, second: ToolClientOptions | null, third: ReactNode = null) => (
    <>
      {first && (
        <Web session={session} options={first}>
          <Offer name="a" />
        </Web>
      )}
      {second && (
        <Web session={session} options={second}>
          <Offer name="b" />
        </Web>
      )}
      {third}
    </>
  )

  it("keeps its first owner's lifetime, and says so once when another asks for a different one", async () => {
    const page = await mount(owners(ttl(20), ttl(90)), { strict })
    await session.settle()
    for (let count = 0; count < 3; count++) await page.render(owners(ttl(20), ttl(90)))
    await session.settle()
    const said = consoleSaid()
    // StrictMode runs each effect twice, and each is an owner that asks.
    expect(new Set(said).size).toBe(1)
    expect(said[0]).toContain('"web"')
    expect(said[0]).toContain("lifetime")
    await session.clock.advance(10_000)
    expect(session.requests("ping")).toHaveLength(1)
  })

  it("takes lifetimes that are equal by value for the same", async () => {
    await mount(owners(ttl(60), ttl(60)), { strict })
    await session.settle()
    expect(consoleSaid()).toEqual([])
    expect(sent(session)).toBe("P")
  })

  it("takes no lifetime beside one for no wish", async () => {
    await mount(owners(ttl(20), {}), { strict })
    await session.settle()
    expect(consoleSaid()).toEqual([])
  })

  it("stays while any owner is left, whoever was first", async () => {
    const page = await mount(owners({}, {}), { strict })
    await session.settle()
    await page.render(owners(null, {}))
    await session.settle()
    await page.render(owners({}, {}))
    await session.settle()
    await page.render(owners({}, null))
    await session.settle()
    expect(publishedNames(session)).toEqual(["a"])
    expect(sent(session)).toBe("P U U U")
    await page.render(owners(null, null))
    await session.settle()
    expect(sent(session)).toBe("P U U U D")
  })

  it("moves with its tools when its name changes", async () => {
    const tree = (name: string) => (
      <Web session={session} name={name}>
        <Offer name="a" />
        <Status />
      </Web>
    )
    const page = await mount(tree("shop"), { strict })
    await session.settle()
    await page.render(tree("store"))
    await session.settle()
    expect(publishedNames(session, "shop")).toEqual([])
    expect(publishedNames(session, "store")).toEqual(["a"])
    expect(session.requests("register").map(({ client }) => client)).toEqual(["shop", "store"])
    expect(session.requests("delete").map(({ client }) => client)).toEqual(["shop"])
    expect(page.container.textContent).toBe("serving")
  })

  it("tells by `ready` that it serves, also to those who asked before there was a session", async () => {
    const seen: unknown[] = []
    const tree = (known: TestSession | null) => (
      <Web session={known}>
        <Ready onSettled={(outcome) => seen.push(outcome)} />
      </Web>
    )
    const page = await mount(tree(null), { strict })
    await session.settle()
    expect(seen).toEqual([])
    await page.render(tree(session))
    await session.settle()
    expect(new Set(seen)).toEqual(new Set(["ready"]))
  })

  it("tells by `ready` and its state that the server refused it", async () => {
    const seen: unknown[] = []
    session.failNext("register", 403)
    const page = await mount(
      <Web session={session}>
        <Ready onSettled={(outcome) => seen.push(outcome)} />
        <Status />
      </Web>,
      { strict },
    )
    await session.settle()
    expect(page.container.textContent).toBe("failed")
    expect(new Set(seen)).toEqual(new Set([expect.objectContaining({ status: 403 })]))
  })

  describe("whose last owner unmounts during a call", () => {
    let later: Deferred
    beforeEach(() => {
      later = deferred()
    })
    const tree = (isThere: boolean) =>
      isThere && (
        <Web session={session}>
          <Takes until={later.promise} />
        </Web>
      )

    it("withdraws its tools at once, and is deleted when the call has answered", async () => {
      const page = await mount(tree(true), { strict })
      await session.settle()
      const answer = session.callTool("take")
      await session.settle()
      await page.render(tree(false))
      await session.settle()
      expect(order()).toEqual(["register take", "update"])
      expect(session.published()).toEqual([])
      const refused = session.callTool("take", {}, { client: "web" })
      await session.settle()
      later.resolve()
      expect(await answer).toMatchObject({ text: "took", is_error: false, phases: ["acked", "running", "answered"] })
      expect(await refused).toMatchObject({ is_error: true, text: expect.stringContaining("take") as unknown })
      await session.settle()
      expect(order()).toEqual(["register take", "update", "answer", "answer", "delete"])
      expect(session.clock.pending).toBe(0)
    })

    it("does not abort the call", async () => {
      const page = await mount(tree(true), { strict })
      await session.settle()
      const answer = session.callTool("take")
      await session.settle()
      await page.render(tree(false))
      later.resolve()
      expect((await answer).text).toBe("took")
    })

    it("serves on, undeleted, when an owner mounts again before", async () => {
      const page = await mount(tree(true), { strict })
      await session.settle()
      const answer = session.callTool("take")
      await session.settle()
      await page.render(tree(false))
      await session.settle()
      await page.render(tree(true))
      await session.settle()
      expect(order()).toEqual(["register take", "update", "update take"])
      later.resolve()
      expect((await answer).text).toBe("took")
      await session.settle()
      expect(sent(session)).toBe("P U U")
    })

    it("registers anew, under its own name, when an owner mounts while it is being deleted", async () => {
      const page = await mount(tree(true), { strict })
      await session.settle()
      const release = session.hold()
      await page.render(tree(false))
      await session.settle()
      expect(order()).toEqual(["register take", "delete"])
      await page.render(tree(true))
      await session.settle()
      expect(order()).toEqual(["register take", "delete"])
      release()
      await session.settle()
      expect(order()).toEqual(["register take", "delete", "register take"])
      expect(publishedNames(session, "web")).toEqual(["take"])
      later.resolve()
      expect((await session.callTool("take")).text).toBe("took")
    })
  })

  it("is deleted in the end although the server refuses at first", async () => {
    const page = await mount(
      <Web session={session} options={{ onError: () => {} }}>
        <Offer name="a" />
      </Web>,
      { strict },
    )
    await session.settle()
    session.failNext("delete", 503)
    await page.render(null)
    await session.settle()
    await session.clock.advance(60_000)
    expect(sent(session)).toBe("P D D")
    expect(session.published()).toEqual([])
  })

  it("closes with its session without an error, and another session takes over", async () => {
    const other = createTestSession({ id: "other" })
    const tree = (known: TestSession) => (
      <Web session={known}>
        <Offer name="a" />
        <Status />
      </Web>
    )
    const page = await mount(tree(session), { strict })
    await session.settle()
    await session.close()
    await session.settle()
    expect(page.container.textContent).toBe("left")
    expect(consoleSaid()).toEqual([expect.stringContaining("still mounted")])
    await page.render(tree(other))
    await other.settle()
    expect(page.container.textContent).toBe("serving")
    expect(publishedNames(other)).toEqual(["a"])
  })
})

function Takes({ until }: { readonly until: Promise<void> }) {
  useTool(useWeb(), "take", {
    description: "Takes its time.",
    parameters: {},
    execute: async () => {
      await until
      return "took"
    },
  })
  return null
}

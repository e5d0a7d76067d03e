// One session for all who ask for its id: opened once, closed when the last one leaves and its calls have answered.
import { Activity, type ReactNode } from "react"
import { type Session, type SessionClient, SessionProvider, useSession, useSessionState, useTool } from "react-tool-client"
import { beforeEach, describe, expect, it } from "vitest"
import { Offer, useWeb, Web } from "./support/components.tsx"
import { consoleSaid } from "./support/console.ts"
import { type Deferred, deferred } from "./support/deferred.ts"
import { createFakeServer, type FakeServer } from "./support/fakeServer.ts"
import { mount, MODES } from "./support/mount.tsx"

let server: FakeServer
beforeEach(() => {
  server = createFakeServer()
})

function Page({ id, children }: { readonly id: string | null | undefined; readonly children?: ReactNode }) {
  const session = useSession(id)
  return (
    <Web session={session}>
      <Offer name="a" />
      <Where session={session} />
      {children}
    </Web>
  )
}

function Where({ session }: { readonly session: Session | null }) {
  const { id, status, isRunning } = useSessionState(session)
  return `${id || "none"} ${status}${isRunning ? " running" : ""};`
}

describe.each(MODES)("useSession$mode", ({ strict }) => {
  const tree = (...pages: ReactNode[]) => <SessionProvider client={server.client}>{pages}</SessionProvider>

  it("opens one session for all who ask for its id, and closes it when the last one leaves", async () => {
    const page = await mount(tree(<Page key="1" id="s" />, <Page key="2" id="s" />), { strict })
    await server.settle()
    expect(server.log).toEqual(["open s", "register s"])
    expect(page.container.textContent).toBe("s open;s open;")
    consoleSaid()
    await page.render(tree(<Page key="2" id="s" />))
    await server.settle()
    expect(server.log).toEqual(["open s", "register s"])
    await page.render(tree())
    await server.settle()
    expect(server.log).toEqual(["open s", "register s", "delete s", "close s"])
    expect(server.clock.pending).toBe(0)
  })

  it("tells of an id that can be none, and serves the one after it", async () => {
    const told: unknown[] = []
    const page = (id: string) => <SessionProvider client={server.client} onError={(error) => told.push(error)}><Page id={id} /></SessionProvider>
    const mounted = await mount(page(".."), { strict })
    await server.settle()
    expect(mounted.container.textContent).toBe("none connecting;")
    expect(told[0]).toMatchObject({ name: "TypeError", message: expect.stringContaining('".."') as string })
    await mounted.render(page("s"))
    await server.settle()
    expect(server.log).toEqual(["open s", "register s"])
  })

  it("sends nothing when its component changes its key or parent", async () => {
    const page = await mount(tree(<Page key="1" id="s" />), { strict })
    await server.settle()
    await page.render(tree(<Page key="2" id="s" />))
    await server.settle()
    await page.render(tree(<div key="3">{<Page id="s" />}</div>))
    await server.settle()
    expect(server.log).toEqual(["open s", "register s"])
    expect(page.container.textContent).toBe("s open;")
  })

  it("moves the tools to the session of another id, and closes the one before", async () => {
    const page = await mount(tree(<Page key="1" id="a" />), { strict })
    await server.settle()
    await page.render(tree(<Page key="1" id="b" />))
    await server.settle()
    expect(page.container.textContent).toBe("b open;")
    expect([...server.log].sort()).toEqual(["close a", "delete a", "open a", "open b", "register a", "register b"])
    expect(server.log.indexOf("delete a")).toBeLessThan(server.log.indexOf("close a"))
  })

  it.each([null, undefined, ""])("is null while its id is %j, and opens the same id anew afterwards", async (missing) => {
    const page = await mount(tree(<Page key="1" id={missing} />), { strict })
    await server.settle()
    expect(page.container.textContent).toBe("none connecting;")
    expect(server.log).toEqual([])
    for (const id of ["s", missing, "s"]) {
      await page.render(tree(<Page key="1" id={id} />))
      await server.settle()
      expect(page.container.textContent).toBe(id ? "s open;" : "none connecting;")
    }
    expect(server.log).toEqual(["open s", "register s", "delete s", "close s", "open s", "register s"])
  })

  it.skipIf(!Activity)("closes a hidden Activity's session and opens it anew when it is shown", async () => {
    const shown = (isShown: boolean) =>
      tree(
        <Activity key="1" mode={isShown ? "visible" : "hidden"}>
          <Page id="s" />
        </Activity>,
      )
    const page = await mount(shown(true), { strict })
    await server.settle()
    await page.render(shown(false))
    await server.settle()
    await page.render(shown(true))
    await server.settle()
    expect(server.log).toEqual(["open s", "register s", "delete s", "close s", "open s", "register s"])
    expect(page.container.textContent).toBe("s open;")
  })

  it("follows another session client", async () => {
    const other = createFakeServer()
    const page = await mount(tree(<Page key="1" id="s" />), { strict })
    await server.settle()
    await page.render(
      <SessionProvider client={other.client}>
        {[<Page key="1" id="s" />]}
      </SessionProvider>,
    )
    await server.settle()
    await other.settle()
    expect(server.log).toEqual(["open s", "register s", "delete s", "close s"])
    expect(other.log).toEqual(["open s", "register s"])
    expect(page.container.textContent).toBe("s open;")
  })

  it("never gives the session of another id or session client, in no render", async () => {
    const seen: string[][] = []
    const onRender = (...pair: string[]): unknown => seen.push(pair)
    const clients = { one: labelled(server, "one"), other: labelled(createFakeServer(), "other") }
    const page = await mount(null, { strict })
    for (const [name, id] of [["one", "a"], ["one", "b"], ["one", null], ["other", "b"], ["one", "b"]] as const) {
      await page.render(
        <SessionProvider client={clients[name]}>
          <Seen id={id} asked={`${name} ${id}`} onRender={onRender} />
        </SessionProvider>,
      )
    }
    expect(seen.filter(([asked, got]) => got !== "none" && got !== asked)).toEqual([])
    expect(new Set(seen.map(([, got]) => got))).toEqual(new Set(["none", "one a", "one b", "other b"]))
  })

  it("closes only when the calls of those who left have answered", async () => {
    const later = deferred()
    const page = await mount(
      tree(
        <Page key="1" id="s">
          <Takes later={later} />
        </Page>,
      ),
      { strict },
    )
    await server.settle()
    const call = { call_id: "c1", client_id: "client_of_s", tool: "take", arguments: {}, deadline_ms: 60_000 }
    server.emit("s", "tool_call.dispatched", call)
    await server.settle()
    await page.render(tree())
    await server.settle()
    expect(server.log).toEqual(["open s", "register s", "update s"])
    later.resolve()
    await server.settle()
    expect(server.log).toEqual(["open s", "register s", "update s", "answer s", "delete s", "close s"])
    expect(server.clock.pending).toBe(0)
  })

  it("shows whether the agent runs", async () => {
    const page = await mount(tree(<Page key="1" id="s" />), { strict })
    await server.settle()
    server.emit("s", "session.running", { running: true })
    await server.settle()
    expect(page.container.textContent).toBe("s open running;")
    server.emit("s", "session.running", { running: false })
    await server.settle()
    expect(page.container.textContent).toBe("s open;")
  })
})

const labels = new WeakMap<Session, string>()

/** A session client that remembers which session it gave for which id. */
const labelled = ({ client }: FakeServer, name: string): SessionClient => ({
  ...client,
  share(id, options) {
    const shared = client.share(id, options)
    labels.set(shared.session, `${name} ${id}`)
    return shared
  },
})

const labelOf = (session: Session | null): string => (session && labels.get(session)) ?? "none"

function Seen({ id, asked, onRender }: {
  readonly id: string | null
  readonly asked: string
  readonly onRender: (...pair: string[]) => unknown
}) {
  onRender(asked, labelOf(useSession(id)))
  return null
}

function Takes({ later }: { readonly later: Deferred }) {
  useTool(useWeb(), "take", {
    description: "Takes its time.",
    parameters: {},
    execute: async () => {
      await later.promise
      return "took"
    },
  })
  return null
}

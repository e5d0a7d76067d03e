// An answer goes out after what its call caused to be rendered is committed and published: the agent's next call sees both.
import { type ReactNode, startTransition, Suspense, useEffect, useState } from "react"
import { pageTool, SessionProvider, type ToolClient, useTool, useTools } from "react-tool-client"
import { createTestSession, type TestSession } from "react-tool-client/testing"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { COMMIT_LIMIT_MS } from "../../src/react/commitBeacon.ts"
import { Offer, useWeb, Web } from "./support/components.tsx"
import "./support/console.ts"
import { deferred } from "./support/deferred.ts"
import { mount, type Mounted, MODES } from "./support/mount.tsx"
import { publishedNames } from "./support/requests.ts"
import { Waits } from "./support/Waits.tsx"

let session: TestSession
beforeEach(() => {
  session = createTestSession()
})

/** What was sent from the first call on, in order, acks and pings aside. */
function order(): readonly string[] {
  const requests = session.requests().filter(({ type }) => type !== "ack" && type !== "ping")
  return requests.map((request) => ("tools" in request ? [request.type, ...request.tools].join(" ") : request.type))
}

const PROVIDERS = [
  { provider: "with a provider", Around: Provided },
  { provider: "without a provider", Around: Bare },
]

const CASES = MODES.flatMap(({ mode, strict }) =>
  PROVIDERS.map(({ provider, Around }) => ({ label: provider + mode, strict, Around })),
)

describe.each(CASES)("an answer $label", ({ strict, Around }) => {
  async function mountPage(children: ReactNode): Promise<Mounted> {
    const page = await mount(
      <Around session={session}>
        <Web session={session}>{children}</Web>
      </Around>,
      { strict },
    )
    await session.settle()
    return page
  }

  // Without a provider a transition is not waited for.
  it.each(Around === Bare ? (["setState"] as const) : (["setState", "startTransition"] as const))("comes after the tools that its call added by %s, and the next call sees the new state", async (by) => {
    await mountPage(<Counter by={by} />)
    expect((await session.callTool("increment")).text).toBe("was 0")
    expect(order()).toEqual(["register increment", "update increment after_1", "answer"])
    expect((await session.callTool("increment")).text).toBe("was 1")
    expect((await session.callTool("after_2")).text).toBe("after_2 ran")
    expect(order().slice(3)).toEqual(["update increment after_2", "answer", "answer"])
  })

  // Without a provider a transition is not waited for.
  it.each(Around === Bare ? [] : ["however many came before it"])("comes after a transition that renders for long, %s", async () => {
    await mountPage(<Heavy />)
    for (let count = 1; count <= 12; count++) {
      expect((await session.callTool("grow")).text).toBe(`was ${count - 1}`)
      expect(publishedNames(session)).toContain(`after_${count}`)
    }
  })

  it("comes after several states set one after the other", async () => {
    await mountPage(<Counter by="awaits" />)
    expect((await session.callTool("increment")).text).toBe("was 0")
    expect(publishedNames(session)).toEqual(["after_2", "increment"])
    expect(order().at(-1)).toBe("answer")
    expect((await session.callTool("increment")).text).toBe("was 2")
  })

  it.each(["useTool", "useTools"] as const)("comes after what its call set, by %s on a client that was made outside of React, and so does the next call in line", async (by) => {
    const client = session.createToolClient("plain")
    await mount(
      <Around session={session}>
        <Serial client={client} by={by} />
      </Around>,
      { strict },
    )
    await session.settle()
    const answers = await Promise.all([session.callTool("increment"), session.callTool("increment"), session.callTool("increment")])
    expect(answers.map(({ text }) => text)).toEqual(["now 1", "now 2", "now 3"])
  })

  it("of a tool that addTool added to a hook's client comes after what its call set", async () => {
    await mountPage(<Adds />)
    expect((await session.callTool("increment")).text).toBe("ran")
    expect(publishedNames(session)).toEqual(["after_1", "increment"])
    expect(order().slice(-2)).toEqual(["update increment after_1", "answer"])
  })

  it("comes after the withdrawal of a tool that unmounts itself", async () => {
    await mountPage(
      <>
        <Offer name="kept" />
        <Dialog />
      </>,
    )
    expect((await session.callTool("close")).text).toBe("closed")
    expect(order()).toEqual(["register kept close", "update kept", "answer"])
    await session.settle()
    expect(order()).toHaveLength(3)
  })

  it("of a tool that unmounts its own client comes after the withdrawal and before the delete", async () => {
    await mount(
      <Around session={session}>
        <ClosingWeb session={session} />
      </Around>,
      { strict },
    )
    await session.settle()
    const answer = await session.callTool("leave")
    expect(answer).toMatchObject({ text: "left", is_error: false })
    await session.settle()
    expect(order()).toEqual(["register leave", "update", "answer", "delete"])
  })

  it("is not lost when the tool unmounts the whole page", async () => {
    const page = await mountPage(<Runs task={() => page.unmount()} />)
    expect((await session.callTool("run")).text).toBe("ran")
    await session.settle()
    expect(order()).toEqual(["register run", "update", "answer", "delete"])
  })

  it("waits although another owner of the same client has left", async () => {
    const tree = (isOther: boolean) => (
      <Around session={session}>
        <Web session={session}>
          <Counter by="setState" />
        </Web>
        {isOther && <Web session={session} />}
      </Around>
    )
    const page = await mount(tree(true), { strict })
    await session.settle()
    await page.render(tree(false))
    await session.settle()
    await session.callTool("increment")
    expect(order()).toEqual(["register increment", "update increment after_1", "answer"])
  })

  it("of each of several calls at once comes after the tools of all", async () => {
    await mountPage(<Counter by="setState" />)
    const answers = await Promise.all([session.callTool("increment"), session.callTool("increment"), session.callTool("increment")])
    expect(answers.map(({ text }) => text)).toEqual(["was 0", "was 0", "was 0"])
    expect(order()).toEqual(["register increment", "update increment after_3", "answer", "answer", "answer"])
  })
})

describe("an answer", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it("does not wait for ever for a transition that suspends", async () => {
    const later = deferred()
    await mount(
      <SessionProvider client={session.client}>
        <Web session={session}>
          <Navigation until={later.promise} />
        </Web>
      </SessionProvider>,
    )
    await session.settle()
    const answer = session.callTool("go")
    await session.settle()
    vi.advanceTimersByTime(COMMIT_LIMIT_MS)
    expect((await answer).text).toBe("went from 0")
    later.resolve()
    await vi.waitFor(() => expect(order()).toEqual(["register go", "answer", "update go page_1"]))
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe.each(MODES)("an answer of a page whose provider is hidden$mode", ({ strict }) => {
  it("comes at once, since nothing of it can be committed: while a sibling suspends, and when its call made it suspend", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const later = deferred()
    const page = await mount(
      <Suspense fallback="wait">
        <SessionProvider client={session.client}>
          <Web session={session}>
            <Suspends until={later.promise} />
          </Web>
        </SessionProvider>
      </Suspense>,
      { strict },
    )
    try {
      await session.settle()
      for (const text of ["went from 0", "went from 0", "went from 0"]) expect((await session.callTool("go")).text).toBe(text)
      expect(page.container.textContent).toContain("wait")
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
    later.resolve()
    await expect.poll(() => publishedNames(session)).toEqual(["go", "page_3"])
    expect((await session.callTool("go")).text).toBe("went from 3")
    expect(publishedNames(session)).toEqual(["go", "page_4"])
  })
})

function Provided({ session: known, children }: { readonly session: TestSession; readonly children: ReactNode }) {
  return <SessionProvider client={known.client}>{children}</SessionProvider>
}

function Bare({ children }: { readonly session: TestSession; readonly children: ReactNode }) {
  return children
}

const nothing = async (): Promise<void> => {}

function Counter({ by }: { readonly by: "setState" | "startTransition" | "awaits" }) {
  const [count, setCount] = useState(0)
  useTool(useWeb(), "increment", {
    description: "Counts.",
    parameters: {},
    execute: async () => {
      const next = () => setCount((before) => before + 1)
      if (by === "startTransition") startTransition(next)
      else next()
      if (by === "awaits") {
        await nothing()
        next()
      }
      return `was ${count}`
    },
  })
  return count > 0 && <Offer name={`after_${count}`} />
}

function Serial({ client, by }: { readonly client: ToolClient; readonly by: "useTool" | "useTools" }) {
  const [count, setCount] = useState(0)
  const tool = pageTool({
    description: "Counts.",
    parameters: {},
    concurrency: "serial",
    execute: () => {
      setCount(count + 1)
      return `now ${count + 1}`
    },
  })
  useTools(client, by === "useTools" ? { increment: tool } : {})
  useTool(by === "useTool" ? client : null, "increment", tool)
  return null
}

function Adds() {
  const client = useWeb()
  const [count, setCount] = useState(0)
  useEffect(() => {
    client?.addTool("increment", {
      description: "Counts.",
      parameters: {},
      execute: () => {
        setCount((before) => before + 1)
        return "ran"
      },
    })
    return () => client?.removeTool("increment")
  }, [client])
  return count > 0 && <Offer name={`after_${count}`} />
}

/** Suspends by what its tool sets, with no boundary between it and the provider. */
function Suspends({ until }: { readonly until: Promise<void> }) {
  const [count, setCount] = useState(0)
  useTool(useWeb(), "go", {
    description: "Goes on.",
    parameters: {},
    execute: () => {
      setCount((before) => before + 1)
      return `went from ${count}`
    },
  })
  return count > 0 && (
    <Waits until={until}>
      <Offer name={`page_${count}`} />
    </Waits>
  )
}

function Dialog() {
  const [isOpen, setIsOpen] = useState(true)
  return isOpen && <CloseButton onClose={() => setIsOpen(false)} />
}

function CloseButton({ onClose }: { readonly onClose: () => void }) {
  useTool(useWeb(), "close", {
    description: "Closes.",
    parameters: {},
    execute: () => {
      onClose()
      return "closed"
    },
  })
  return null
}

function ClosingWeb({ session: known }: { readonly session: TestSession }) {
  const [isThere, setIsThere] = useState(true)
  return (
    isThere && (
      <Web session={known}>
        <Leave onLeave={() => setIsThere(false)} />
      </Web>
    )
  )
}

function Leave({ onLeave }: { readonly onLeave: () => void }) {
  useTool(useWeb(), "leave", {
    description: "Leaves.",
    parameters: {},
    execute: () => {
      onLeave()
      return "left"
    },
  })
  return null
}

function Runs({ task }: { readonly task: () => void }) {
  useTool(useWeb(), "run", {
    description: "Runs.",
    parameters: {},
    execute: () => {
      task()
      return "ran"
    },
  })
  return null
}

/** As a router does it: the page that is left stays until the next one can be shown. */
function Navigation({ until }: { readonly until: Promise<void> }) {
  const [page, setPage] = useState(0)
  useTool(useWeb(), "go", {
    description: "Goes to the next page.",
    parameters: {},
    execute: () => {
      startTransition(() => setPage(page + 1))
      return `went from ${page}`
    },
  })
  return (
    <Suspense fallback="waits">
      {page > 0 && (
        <Waits until={until}>
          <Offer name={`page_${page}`} />
        </Waits>
      )}
    </Suspense>
  )
}

function Heavy() {
  const [count, setCount] = useState(0)
  useTool(useWeb(), "grow", {
    description: "Grows.",
    parameters: {},
    execute: () => {
      startTransition(() => setCount(count + 1))
      return `was ${count}`
    },
  })
  return (
    <>
      <Slow count={count} />
      <Slow count={count + 1} />
      <Slow count={count + 2} />
      {count > 0 && <Offer name={`after_${count}`} />}
    </>
  )
}

/** Longer than the slice of time after which React lets others run. */
const SLICE_MS = 6

function Slow({ count }: { readonly count: number }) {
  return String(count + burn(SLICE_MS)).slice(0, 0)
}

function burn(ms: number): number {
  const until = performance.now() + ms
  while (performance.now() < until);
  return until
}

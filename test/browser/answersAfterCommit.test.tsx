// In a real browser React commits in tasks of its own: an answer comes after what its call caused to be rendered all the same.
import { type ReactNode, startTransition, useLayoutEffect, useState } from "react"
import { SessionProvider, useTool } from "react-tool-client"
import { createTestSession, type TestSession } from "react-tool-client/testing"
import { beforeEach, describe, expect, it } from "vitest"
import { Offer, useWeb, Web } from "../react/support/components.tsx"
import "../react/support/console.ts"
import { mount, MODES, type Mounted } from "../react/support/mount.tsx"
import { publishedNames } from "../react/support/requests.ts"

/** As often as a race needs to show. */
const RUNS = 5

/** Milliseconds of rendering, so that a commit takes longer than React's slice of time. */
const HEAVY_MS = 60

let session: TestSession
beforeEach(() => {
  session = createTestSession()
})

/** What was sent, in order, acks and pings aside. */
function order(): readonly string[] {
  const requests = session.requests().filter(({ type }) => type !== "ack" && type !== "ping")
  return requests.map((request) => ("tools" in request ? [request.type, ...request.tools].join(" ") : request.type))
}

const mountIn = async (hasProvider: boolean, strict: boolean, children: ReactNode): Promise<Mounted> => {
  const web = <Web session={session}>{children}</Web>
  const page = await mount(hasProvider ? <SessionProvider client={session.client}>{web}</SessionProvider> : web, { strict })
  await session.settle()
  return page
}

const setState = (update: () => void): void => update()

describe.each(MODES)("an answer$mode", ({ strict }) => {
  it.each([
    { label: "setState with a provider", how: setState, ms: 0, hasProvider: true },
    { label: "setState with a provider, a heavy render", how: setState, ms: HEAVY_MS, hasProvider: true },
    { label: "setState without a provider", how: setState, ms: 0, hasProvider: false },
    { label: "setState without a provider, a heavy render", how: setState, ms: HEAVY_MS, hasProvider: false },
    { label: "startTransition with a provider", how: startTransition, ms: 0, hasProvider: true },
    { label: "startTransition with a provider, a heavy render", how: startTransition, ms: HEAVY_MS, hasProvider: true },
  ])("comes after the tools that its call added by $label, and the next call sees the new state", async ({ how, ms, hasProvider }) => {
    await mountIn(hasProvider, strict, <Counter how={how} ms={ms} />)
    for (let count = 0; count < RUNS; count++) {
      expect((await session.callTool("increment")).text).toBe(`was ${count}`)
      expect(publishedNames(session)).toEqual([`after_${count + 1}`, "increment"])
    }
    expect(order().slice(0, 4)).toEqual(["register increment", "update increment after_1", "answer", "update increment after_2"])
  })

  it.each([true, false])("comes after the withdrawal of a tool that unmounts itself (provider: %s)", async (hasProvider) => {
    for (let count = 0; count < RUNS; count++) {
      session = createTestSession()
      const page = await mountIn(hasProvider, strict, <Dialog />)
      expect((await session.callTool("close")).text).toBe("closed")
      expect(order()).toEqual(["register close", "update", "answer"])
      page.unmount()
    }
  })

  it("comes after the withdrawal of a client that its tool unmounts, and before the delete", async () => {
    const page = await mountIn(true, strict, <Runs task={() => page.unmount()} />)
    expect((await session.callTool("run")).text).toBe("ran")
    await session.settle()
    expect(order()).toEqual(["register run", "update", "answer", "delete"])
  })
})

describe.each(MODES)("a handler$mode", ({ strict }) => {
  it("is the one just committed for a call that comes during layout effects, long before passive ones", async () => {
    const seen: string[] = []
    const calls: Promise<unknown>[] = []
    const onLayout = (count: number): void => {
      if (session.published().length > 0) calls.push(session.callTool("tell").then(({ text }) => seen.push(`called at layout ${count}: ${text}`)))
    }
    const tree = (count: number) => (
      <Web session={session}>
        <Tell count={count} onLayout={onLayout} />
      </Web>
    )
    const page = await mount(tree(0), { strict })
    await session.settle()
    await page.render(tree(1))
    await Promise.all(calls)
    expect(seen).toEqual(["called at layout 1: count 1"])
  })

  it("reads the state of a click that came just before its call", async () => {
    const page = await mountIn(true, strict, <Clicked />)
    const button = page.container.querySelector("button")
    for (let count = 1; count <= RUNS; count++) {
      button?.click()
      await Promise.resolve()
      expect((await session.callTool("clicks")).text).toBe(`${count} clicks`)
    }
  })
})

it("tools of one commit are one update, although passive effects run in a task of their own", async () => {
  const tree = (names: readonly string[]) => (
    <Web session={session}>
      {names.map((name) => (
        <Offer key={name} name={name} />
      ))}
    </Web>
  )
  const page = await mount(tree(["a", "b"]))
  await session.settle()
  await page.render(tree(["b", "c", "d"]))
  await session.settle()
  expect(order()).toEqual(["register a b", "update b c d"])
})

function Counter({ how, ms }: { readonly how: (update: () => void) => void; readonly ms: number }) {
  const [count, setCount] = useState(0)
  useTool(useWeb(), "increment", {
    description: "Counts.",
    parameters: {},
    execute: () => {
      how(() => setCount(count + 1))
      return `was ${count}`
    },
  })
  return (
    <>
      {Array.from({ length: 10 }, (_item, index) => (
        <Slow key={index} count={count} ms={ms / 10} />
      ))}
      {count > 0 && <Offer name={`after_${count}`} />}
    </>
  )
}

function Slow({ count, ms }: { readonly count: number; readonly ms: number }) {
  return String(count + burn(ms)).slice(0, 0)
}

function burn(ms: number): number {
  const until = performance.now() + ms
  while (performance.now() < until);
  return until
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

function Tell({ count, onLayout }: { readonly count: number; readonly onLayout: (count: number) => void }) {
  useTool(useWeb(), "tell", { description: "Tells.", parameters: {}, execute: () => `count ${count}` })
  return <Layout count={count} onLayout={onLayout} />
}

/** A child: its layout effect runs before its parent's effects of any kind but the insertion effects. */
function Layout({ count, onLayout }: { readonly count: number; readonly onLayout: (count: number) => void }) {
  useLayoutEffect(() => onLayout(count))
  return null
}

function Clicked() {
  const [clicks, setClicks] = useState(0)
  useTool(useWeb(), "clicks", { description: "Counts clicks.", parameters: {}, execute: () => `${clicks} clicks` })
  return <button onClick={() => setClicks((before) => before + 1)}>click</button>
}

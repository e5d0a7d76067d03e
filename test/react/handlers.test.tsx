// Which render's handler answers: the last committed one's, with the validation that was committed with it.
import { Profiler, startTransition, Suspense, useEffect, useLayoutEffect, useState } from "react"
import { type CallRecord, pageTool, useTool, useToolCalls, useToolClientState, useTools } from "react-tool-client"
import { createTestSession, type TestAnswer, type TestSession } from "react-tool-client/testing"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { z } from "zod"
import { useWeb, Web } from "./support/components.tsx"
import "./support/console.ts"
import { deferred } from "./support/deferred.ts"
import { mount, MODES } from "./support/mount.tsx"
import { sent } from "./support/requests.ts"
import { Waits } from "./support/Waits.tsx"

let session: TestSession
beforeEach(() => {
  session = createTestSession()
})

/** Its schema refuses more than `limit`, which JSON Schema does not say: only the handler and the validator change. */
function Pay({ limit }: { readonly limit: number }) {
  useTool(useWeb(), "pay", {
    description: "Pays.",
    schema: z.object({ amount: z.number() }).refine(({ amount }) => amount <= limit, `at most ${limit}`),
    execute: ({ amount }) => `paid ${amount} of ${limit}`,
  })
  return null
}

function PayMany({ limit }: { readonly limit: number }) {
  useTools(useWeb(), {
    pay: pageTool({
      description: "Pays.",
      parameters: { type: "object" },
      parse: (args) => z.object({ amount: z.number().max(limit, `at most ${limit}`) }).parse(args),
      execute: ({ amount }) => `paid ${amount} of ${limit}`,
    }),
  })
  return null
}

describe.each(MODES)("handlers$mode", ({ strict }) => {
  it.each([
    ["useTool", Pay],
    ["useTools", PayMany],
  ])("are swapped together with their validation, and nothing is sent (%s)", async (_hook, Component) => {
    const tree = (limit: number) => (
      <Web session={session}>
        <Component limit={limit} />
      </Web>
    )
    const page = await mount(tree(5), { strict })
    await session.settle()
    expect((await session.callTool("pay", { amount: 4 })).text).toBe("paid 4 of 5")
    expect((await session.callTool("pay", { amount: 8 })).text).toContain("at most 5")
    await page.render(tree(10))
    expect((await session.callTool("pay", { amount: 8 })).text).toBe("paid 8 of 10")
    await page.render(tree(2))
    expect((await session.callTool("pay", { amount: 8 })).text).toContain("at most 2")
    expect(sent(session)).toBe("P")
  })

  it("of a render that was thrown away never run", async () => {
    const later = deferred()
    const page = await mount(<Draft session={session} until={later.promise} />, { strict })
    await session.settle()
    expect((await session.callTool("tell")).text).toBe("draft 0")
    startTransition(() => controls.setDraft(1))
    await session.settle()
    // Rendered, perhaps more than once, and suspended: the page still shows the old one.
    expect(page.container.textContent).toBe("0")
    expect((await session.callTool("tell")).text).toBe("draft 0")
    later.resolve()
    await vi.waitFor(() => expect(page.container.textContent).toBe("1"))
    expect((await session.callTool("tell")).text).toBe("draft 1")
    expect(sent(session)).toBe("P")
  })

  it("are the new ones for a call that comes while their commit still runs layout effects", async () => {
    const answers: Promise<TestAnswer>[] = []
    const onLayout = (): void => {
      if (session.published().length > 0) answers.push(session.callTool("tell"))
    }
    const tree = (count: number) => (
      <Web session={session}>
        <Tell count={count} onLayout={onLayout} />
      </Web>
    )
    const page = await mount(tree(0), { strict })
    await session.settle()
    await page.render(tree(1))
    await page.render(tree(2))
    expect((await Promise.all(answers)).map(({ text }) => text)).toEqual(["count 1", "count 2"])
  })

  it("stay those of a tree that hides behind a fallback", async () => {
    const later = deferred()
    const tree = (count: number, until?: Promise<void>) => (
      <Web session={session}>
        <Suspense fallback="waits">
          <Tell count={count} />
          <Waits until={until} />
        </Suspense>
      </Web>
    )
    const page = await mount(tree(0), { strict })
    await session.settle()
    await page.render(tree(1, later.promise))
    expect(page.container.textContent).toBe("waits")
    expect((await session.callTool("tell")).text).toBe("count 0")
    later.resolve()
    await vi.waitFor(() => expect(page.container.textContent).toBe(""))
    expect((await session.callTool("tell")).text).toBe("count 1")
  })
})

describe("rendering", () => {
  it("is not caused by calls where a component only offers tools", async () => {
    const onRender = vi.fn()
    await mount(
      <Profiler id="tools" onRender={onRender}>
        <Web session={session}>
          <Pay limit={5} />
          <Tell count={0} />
        </Web>
      </Profiler>,
    )
    await session.settle()
    onRender.mockClear()
    for (let amount = 0; amount < 5; amount++) await session.callTool("pay", { amount })
    await session.settle()
    expect(onRender).not.toHaveBeenCalled()
  })

  it("by useToolCalls happens only for the calls that its filter lets through, however it is written", async () => {
    const onRender = vi.fn()
    const seen = vi.fn()
    const page = await mount(
      <Web session={session}>
        <Tell count={0} />
        <Pay limit={5} />
        <Profiler id="calls" onRender={onRender}>
          <PaidCalls onCalls={seen} />
        </Profiler>
      </Web>,
    )
    await session.settle()
    onRender.mockClear()
    seen.mockClear()
    for (let count = 0; count < 3; count++) await session.callTool("tell")
    expect(onRender).not.toHaveBeenCalled()
    await session.callTool("pay", { amount: 1 })
    await session.callTool("pay", { amount: 6 })
    await session.settle()
    expect(page.container.textContent).toBe("answered answered")
    // acked, running, answered; then acked, answered, since a refused call never runs.
    expect(onRender.mock.calls.length).toBeLessThanOrEqual(5)
    const lists = seen.mock.calls.map(([calls]: CallRecord[][]) => calls)
    expect(new Set(lists).size).toBe(lists.length)
  })

  it("by useToolCalls keeps its list over a re-render that changes no call", async () => {
    const seen = vi.fn()
    const tree = (count: number) => (
      <Web session={session}>
        <Pay limit={5} />
        <PaidCalls key="calls" count={count} onCalls={seen} />
      </Web>
    )
    const page = await mount(tree(0))
    await session.settle()
    await session.callTool("pay", { amount: 1 })
    await session.settle()
    seen.mockClear()
    for (let count = 1; count < 10; count++) await page.render(tree(count))
    expect(seen).not.toHaveBeenCalled()
  })

  it("by useToolClientState with a selector happens when the selection changes", async () => {
    const onRender = vi.fn()
    const page = await mount(
      <Web session={session}>
        <Pay limit={5} />
        <Profiler id="state" onRender={onRender}>
          <ToolCount />
        </Profiler>
      </Web>,
    )
    await session.settle()
    expect(page.container.textContent).toBe("1")
    onRender.mockClear()
    await session.callTool("pay", { amount: 1 })
    await session.settle()
    expect(onRender).not.toHaveBeenCalled()
  })
})

const controls = { setDraft: (_draft: number): void => {} }

function Draft({ session: known, until }: { readonly session: TestSession; readonly until: Promise<void> }) {
  const [draft, setDraft] = useState(0)
  useEffect(() => {
    controls.setDraft = setDraft
  }, [])
  return (
    <Web session={known}>
      <Suspense fallback="waits">
        <TellDraft draft={draft} />
        <Waits until={draft > 0 ? until : undefined}>{draft}</Waits>
      </Suspense>
    </Web>
  )
}

function TellDraft({ draft }: { readonly draft: number }) {
  useTool(useWeb(), "tell", { description: "Tells.", parameters: {}, execute: () => `draft ${draft}` })
  return null
}

function Tell({ count, onLayout }: { readonly count: number; readonly onLayout?: () => void }) {
  useTool(useWeb(), "tell", { description: "Tells.", parameters: {}, execute: () => `count ${count}` })
  return <Layout count={count} onLayout={onLayout} />
}

/** A child: its layout effect runs before its parent's. */
function Layout({ onLayout }: { readonly count: number; readonly onLayout: (() => void) | undefined }) {
  useLayoutEffect(() => onLayout?.())
  return null
}

function PaidCalls({ onCalls }: { readonly count?: number; readonly onCalls: (calls: readonly CallRecord[]) => void }) {
  const calls = useToolCalls(useWeb(), (call) => call.tool === "pay")
  useEffect(() => onCalls(calls), [calls, onCalls])
  return calls.map((call) => call.phase).join(" ")
}

function ToolCount() {
  return useToolClientState(useWeb(), (state) => state.tools.length)
}

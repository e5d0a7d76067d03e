// The browser's own agent, in a real browser that has one: it finds and calls what components declare.
import { StrictMode, useState } from "react"
import { flushSync } from "react-dom"
import { type AnyTool, type CallRecord, pageTool, SessionProvider, type Session, type ToolClient, useTool, useToolCalls, useToolClient, useTools } from "react-tool-client"
import { createTestSession } from "react-tool-client/testing"
import { createLocalSession, mirrorToModelContext, WebMcpError, WebMcpMirror } from "react-tool-client/webmcp"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { z } from "zod"
import { consoleSaid } from "../react/support/console.ts"
import { mount, MODES, unmountAll } from "../react/support/mount.tsx"
import { agent, context, fails, loads, registerForeign, says, settled, watchTools } from "./support/agent.ts"

/** For what comes by a request, in milliseconds. */
const PATIENCE = { timeout: 5_000, interval: 20 }

const NO_ARGUMENTS = { type: "object", properties: {} } as const

let session: Session
let page: ToolClient
let calls: readonly CallRecord[]
const onError = vi.fn()
beforeEach(() => {
  session = createLocalSession()
  calls = []
  onError.mockClear()
})
afterEach(async () => {
  unmountAll()
  await session.close()
  await settled()
  expect(await agent.names()).toEqual([])
})

/** A page that offers `tools` to the browser's agent. */
function Page({ tools = {}, of = session, children }: { tools?: Readonly<Record<string, AnyTool>>; of?: Session | null; children?: React.ReactNode }) {
  page = useToolClient(of, "web")
  calls = useToolCalls(page)
  useTools(page, tools)
  return (
    <>
      <WebMcpMirror client={page} onError={onError} />
      {children}
    </>
  )
}

const tool = (over: Partial<AnyTool> = {}): AnyTool => ({ description: "A tool.", parameters: NO_ARGUMENTS, execute: () => "ran", ...over })

describe.each(MODES)("the browser's agent$mode", ({ strict }) => {
  const open = async (ui: React.ReactNode) => {
    const mounted = await mount(ui, { strict })
    await settled()
    return mounted
  }

  it("finds a tool under its own name, with all that it may know of it", async () => {
    await open(
      <Page
        tools={{
          add_todo: pageTool({
            title: "Add",
            description: "Add a todo.",
            schema: z.object({ title: z.string().min(1) }),
            annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, untrustedContentHint: true },
            execute: () => "added",
          }),
        }}
      />,
    )
    // The code for it is fetched by the first page that needs it.
    await vi.waitFor(async () => expect(await agent.names()).toEqual(["add_todo"]), PATIENCE)
    expect(await agent.tools()).toMatchObject([
      {
        name: "add_todo",
        title: "Add",
        description: "Add a todo.",
        inputSchema: { type: "object", properties: { title: { type: "string", minLength: 1 } }, required: ["title"] },
        annotations: { readOnlyHint: false, consequentialHint: true, untrustedContentHint: true },
      },
    ])
    expect(loads("webmcp/registrar")).toHaveLength(1)
  })

  it("hears of each tool once when it is mounted, and once when it is unmounted", async () => {
    const watched = watchTools()
    const { unmount } = await open(<Page tools={{ one: tool(), two: tool() }} />)
    expect(watched.changes).toBe(2)
    unmount()
    await settled()
    watched.stop()
    expect(watched.changes).toBe(4)
  })

  it("calls it, and the call is seen like every other", async () => {
    await open(<Page tools={{ greet: pageTool({ description: "Greet.", schema: z.object({ name: z.string() }), execute: ({ name }) => `Hello ${name}` }) }} />)
    expect(await agent.call("greet", { name: "Ada" })).toEqual(says("Hello Ada"))
    await settled()
    expect(calls).toMatchObject([{ tool: "greet", via: "webmcp", phase: "answered", arguments: { name: "Ada" }, answer: { text: "Hello Ada" } }])
  })

  it("is told every issue of arguments that the browser let through, and the tool did not run", async () => {
    const execute = vi.fn(() => "ran")
    await open(<Page tools={{ order: pageTool({ description: "Order.", schema: z.object({ count: z.number(), note: z.string() }), execute }) }} />)
    const result = await agent.call("order", { count: "three" })
    expect(result).toEqual(fails('"order" did not run'))
    expect(result).toEqual(fails("count"))
    expect(result).toEqual(fails("note"))
    expect(execute).not.toHaveBeenCalled()
  })

  it("is told what a tool threw, which the browser would hide", async () => {
    await open(<Page tools={{ fail: tool({ execute: () => Promise.reject(new Error("The printer is out of paper.")) }) }} />)
    expect(await agent.call("fail")).toEqual(fails("The printer is out of paper."))
    // In development the console may be told, too.
    consoleSaid()
  })

  it("gets JSON as text, and an answer that says that it failed as such", async () => {
    await open(<Page tools={{ list: tool({ execute: () => ({ todos: ["milk"] }) }), refuse: tool({ execute: () => ({ text: "No.", is_error: true }) }) }} />)
    expect(await agent.call("list")).toEqual(says('{"todos":["milk"]}'))
    expect(await agent.call("refuse")).toEqual(fails("No."))
  })

  it("is answered after what its call caused is rendered, and finds the tools that came with it", async () => {
    function Counter() {
      const [count, setCount] = useState(0)
      useTool(page, "count", { description: "Count.", parameters: NO_ARGUMENTS, execute: () => (setCount(count + 1), `was ${count}`) })
      useTools(page, { [`after_${count}`]: tool() })
      return <output>{count}</output>
    }
    const { container } = await open(
      <Page>
        <Counter />
      </Page>,
    )
    for (let count = 0; count < 5; count++) {
      expect(await agent.call("count")).toEqual(says(`was ${count}`))
      expect(container.querySelector("output")?.textContent).toBe(String(count + 1))
      expect(await agent.names()).toEqual([`after_${count + 1}`, "count"])
    }
  })

  it("calls the last committed handler, and hears nothing of a hundred renders", async () => {
    const { render } = await open(<Page tools={{ say: tool({ execute: () => "0" }) }} />)
    const watched = watchTools()
    for (let count = 1; count <= 100; count++) await render(<Page tools={{ say: tool({ execute: () => String(count) }) }} />)
    await settled()
    watched.stop()
    expect(watched.changes).toBe(0)
    expect(await agent.call("say")).toEqual(says("100"))
  })

  it("finds a changed description, and the name was never absent nor another tool touched", async () => {
    const { render } = await open(<Page tools={{ other: tool(), say: tool() }} />)
    const watched = watchTools()
    for (let count = 1; count <= 5; count++) {
      await render(<Page tools={{ other: tool(), say: tool({ description: `Version ${count}.` }) }} />)
      await settled()
    }
    watched.stop()
    expect((await agent.tool("say")).description).toBe("Version 5.")
    expect(watched.seen.length).toBeGreaterThan(0)
    for (const tools of watched.seen) expect(tools.map(({ name }) => name)).toEqual(["other", "say"])
    // One that is withdrawn and one that is registered, for each change; the other tool had none.
    expect(watched.changes).toBeLessThanOrEqual(10)
  })

  it("calls by an old definition what is checked by the new one", async () => {
    const { render } = await open(<Page tools={{ move: pageTool({ description: "Move.", schema: z.object({ x: z.number() }), execute: () => "old" }) }} />)
    const found = await agent.tool("move")
    await render(<Page tools={{ move: pageTool({ description: "Move.", schema: z.object({ place: z.string() }), execute: () => "new" }) }} />)
    await settled()
    expect(await agent.callFound(found, { x: 1 })).toEqual(fails("place"))
    expect(await agent.callFound(found, { place: "here" })).toEqual(says("new"))
  })

  it("is answered by a tool whose component is unmounted by its own call", async () => {
    function Dialog() {
      const [isOpen, setOpen] = useState(true)
      return isOpen ? <Close onClose={() => flushSync(() => setOpen(false))} /> : null
    }
    function Close({ onClose }: { onClose: () => void }) {
      useTool(page, "close", { description: "Close.", parameters: NO_ARGUMENTS, execute: () => (onClose(), "closed") })
      return null
    }
    await open(
      <Page>
        <Dialog />
      </Page>,
    )
    expect(await agent.call("close")).toEqual(says("closed"))
    expect(await agent.names()).toEqual([])
  })

  it("is answered although the whole page, mirror and all, is unmounted during the call", async () => {
    let finish = (_text: string): void => {}
    const { unmount } = await open(<Page tools={{ work: tool({ execute: () => new Promise<string>((resolve) => (finish = resolve)) }) }} />)
    const result = agent.call("work")
    await settled()
    unmount()
    await settled()
    expect(await agent.names()).toEqual([])
    finish("done nevertheless")
    expect(await result).toEqual(says("done nevertheless"))
  })

  it("finds 200 tools, each its own, and the withdrawal of one touches no other", async () => {
    const many = (from: number) =>
      Object.fromEntries(Array.from({ length: 200 - from }, (_, index) => [`tool_${String(index + from).padStart(3, "0")}`, tool({ execute: () => `ran ${index + from}` })]))
    const { render } = await open(<Page tools={many(0)} />)
    expect(await agent.names()).toHaveLength(200)
    expect(await agent.call("tool_199")).toEqual(says("ran 199"))
    const watched = watchTools()
    await render(<Page tools={many(1)} />)
    await settled()
    watched.stop()
    expect(watched.changes).toBe(1)
    expect(await agent.names()).toHaveLength(199)
    expect(await agent.call("tool_001")).toEqual(says("ran 1"))
  })

  it("goes on with another script's tool of the same name, which is told once, until that one goes", async () => {
    const free = await registerForeign("say")
    const { render, unmount } = await open(<Page tools={{ other: tool(), say: tool() }} />)
    expect(await agent.names()).toEqual(["other", "say"])
    expect((await agent.tool("say")).description).toBe("Another script's.")
    expect(onError.mock.calls).toMatchObject([[{ code: "duplicate_name", tool: "say" }]])
    expect(onError.mock.calls[0]?.[0]).toBeInstanceOf(WebMcpError)
    // A retry that finds it taken still, and a change of what waits, tell nothing new.
    await render(<Page tools={{ another: tool(), say: tool({ description: "Ours." }) }} />)
    await settled()
    expect((await agent.tool("say")).description).toBe("Another script's.")
    free()
    await settled()
    expect((await agent.tool("say")).description).toBe("Ours.")
    expect(onError).toHaveBeenCalledTimes(1)
    unmount()
  })

  it("keeps another script's tool when the one that never got its name is unmounted", async () => {
    const free = await registerForeign("say")
    const { unmount } = await open(<Page tools={{ say: tool() }} />)
    unmount()
    await settled()
    expect(await agent.names()).toEqual(["say"])
    free()
  })

  it("finds one tool where two clients offer the same name, and the other's when that one goes", async () => {
    function Other({ isOn }: { isOn: boolean }) {
      const other = useToolClient(session, "other")
      useTool(other, "say", { description: "The other's.", parameters: NO_ARGUMENTS, execute: () => "other", enabled: isOn })
      return <WebMcpMirror client={other} onError={onError} />
    }
    const both = (isOn: boolean) => (
      <Page tools={{ say: tool() }}>
        <Other isOn={isOn} />
      </Page>
    )
    const { render } = await open(both(true))
    expect(await agent.names()).toEqual(["say"])
    expect(onError).toHaveBeenCalledTimes(1)
    const first = (await agent.tool("say")).description
    await render(both(false))
    await settled()
    expect((await agent.tool("say")).description).toBe("A tool.")
    expect(["A tool.", "The other's."]).toContain(first)
  })

  it("gives a call up, and the tool hears of it", async () => {
    let signal: AbortSignal | undefined
    await open(<Page tools={{ wait: tool({ execute: (_args: never, call) => ((signal = call.signal), new Promise<string>(() => {})) }) }} />)
    const controller = new AbortController()
    const result = agent.call("wait", {}, controller.signal)
    result.catch(() => {})
    await vi.waitFor(() => expect(signal).toBeDefined())
    controller.abort(new Error("enough"))
    await expect(result).rejects.toThrow("enough")
    await vi.waitFor(() => expect(signal?.aborted).toBe(true))
    await vi.waitFor(() => expect(calls).toMatchObject([{ phase: "failed" }]))
  })

  it("finds nothing while there is no client, and everything as soon as there is one", async () => {
    const withSession = (of: Session | null) => <Page of={of} tools={{ say: tool() }} />
    const { render } = await open(withSession(null))
    expect(await agent.names()).toEqual([])
    await render(withSession(session))
    await settled()
    expect(await agent.names()).toEqual(["say"])
  })

  it("finds the same tool all along while the page goes to another session", async () => {
    const other = createLocalSession()
    const { render } = await open(<Page tools={{ say: tool() }} />)
    const watched = watchTools()
    await render(<Page of={other} tools={{ say: tool() }} />)
    await settled()
    watched.stop()
    expect(watched.changes).toBe(0)
    expect(await agent.call("say")).toEqual(says("ran"))
    unmountAll()
    await other.close()
  })

  it("finds the same tool all along while a component's key changes", async () => {
    function Say() {
      useTool(page, "say", { description: "Say.", parameters: NO_ARGUMENTS, execute: () => "said" })
      return null
    }
    const keyed = (key: number) => (
      <Page>
        <Say key={key} />
      </Page>
    )
    const { render } = await open(keyed(0))
    const watched = watchTools()
    for (let key = 1; key <= 10; key++) await render(keyed(key))
    await settled()
    watched.stop()
    expect(watched.changes).toBe(0)
    expect(await agent.call("say")).toEqual(says("said"))
  })

  it("finds the tools of a session whose server is not there", async () => {
    const offline = createTestSession({ isOpen: false })
    const { unmount } = await open(<Page of={offline} tools={{ say: tool() }} />)
    expect(await agent.call("say")).toEqual(says("ran"))
    expect(offline.requests()).toEqual([])
    unmount()
    await settled()
  })

  it("is told through the provider's handler where the mirror has none", async () => {
    const free = await registerForeign("say")
    const served = createTestSession()
    function Inner() {
      const client = useToolClient(served, "web")
      useTools(client, { say: tool() })
      return <WebMcpMirror client={client} />
    }
    const { unmount } = await open(
      <SessionProvider client={served.client} onError={onError}>
        <Inner />
      </SessionProvider>,
    )
    expect(onError.mock.calls).toMatchObject([[{ code: "duplicate_name" }]])
    unmount()
    free()
    await settled()
  })
})

describe("a mirror without React", () => {
  it("follows what is added and removed, until it is stopped; followed again at once, nothing was withdrawn", async () => {
    const client = session.createToolClient("jobs")
    client.addTool("one", tool() as never)
    let stop = mirrorToModelContext(client, { onError })
    await settled()
    expect(await agent.names()).toEqual(["one"])
    client.addTool("two", tool() as never)
    client.removeTool("one")
    await settled()
    expect(await agent.names()).toEqual(["two"])
    stop()
    stop()
    await settled()
    expect(await agent.names()).toEqual([])
    stop = mirrorToModelContext(client, { onError })
    await session.deleteToolClient(client)
    await settled()
    expect(await agent.names()).toEqual([])
    stop()
    expect(onError).not.toHaveBeenCalled()
  })

  it("withdraws what is stopped before the code for it has come", async () => {
    const client = session.createToolClient("jobs")
    client.addTool("one", tool() as never)
    mirrorToModelContext(client)()
    await settled()
    expect(await agent.names()).toEqual([])
  })

  it("tells the console what the browser refuses, where it has no handler", async () => {
    const refused = new DOMException("The policy of this document forbids tools.", "NotAllowedError")
    const spy = vi.spyOn(context, "registerTool").mockRejectedValue(refused)
    const client = session.createToolClient("jobs")
    client.addTool("one", tool() as never)
    const stop = mirrorToModelContext(client)
    await settled()
    expect(spy).toHaveBeenCalledTimes(1)
    expect(consoleSaid()).toMatchObject([{ code: "refused", tool: "one", cause: refused }])
    spy.mockRestore()
    stop()
  })

  it("passes on which other origins may see the tools, and changes it with no moment of absence", async () => {
    const spy = vi.spyOn(context, "registerTool")
    const shown = (exposedTo?: readonly string[]) => {
      function Exposed() {
        const client = useToolClient(session, "web")
        useTools(client, { say: tool() })
        return <WebMcpMirror client={client} {...(exposedTo && { exposedTo })} />
      }
      return <StrictMode>{<Exposed key="same" />}</StrictMode>
    }
    const { render } = await mount(shown(["https://one.example"]))
    await settled()
    expect(spy.mock.calls.map(([, options]) => (options as { exposedTo?: unknown }).exposedTo)).toEqual([["https://one.example"]])
    await render(shown(["https://one.example", "https://two.example"]))
    await settled()
    expect((spy.mock.calls.at(-1)?.[1] as { exposedTo?: unknown }).exposedTo).toEqual(["https://one.example", "https://two.example"])
    expect(await agent.names()).toEqual(["say"])
    spy.mockRestore()
  })
})

// A person is asked before a tool acts; nobody, a script's click, or too long a silence refuses.
import { type AskOptions, type ApprovedBy, type PendingApproval, type ToolApproval, useTool, useToolApproval } from "react-tool-client"
import { createTestSession, type TestSession } from "react-tool-client/testing"
import { useEffect } from "react"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { useWeb, Web } from "./support/components.tsx"
import { consoleSaid } from "./support/console.ts"
import { mount, type Mounted, MODES } from "./support/mount.tsx"

let session: TestSession
let approval: ToolApproval
beforeEach(() => {
  session = createTestSession()
})
afterEach(() => {
  vi.unstubAllGlobals()
})

const onApproval = (now: ToolApproval): void => {
  approval = now
}

interface PayProps {
  readonly options?: Partial<AskOptions>
  readonly timeout?: number
  readonly until?: Promise<void>
}

/** Asks in its call's own words before it pays, and shows what is asked. */
function Pay({ options, timeout, until }: PayProps) {
  const now = useToolApproval()
  const { ask, pending, waiting } = now
  useTool(useWeb(), "pay", {
    description: "Pays.",
    parameters: {},
    timeout,
    execute: async (args, call) => {
      const isApproved = await ask(call, { message: `Pay ${JSON.stringify(args)}?`, ...options })
      await until
      return isApproved ? "paid" : "not paid"
    },
  })
  useEffect(() => onApproval(now))
  if (!pending) return null
  return (
    <dialog open>
      <p>
        {pending.message} ({waiting.length})
      </p>
      <button onClick={pending.approve}>Yes</button>
      <button onClick={pending.refuse}>No</button>
      <button onClick={() => pending.approve()}>Yes, without its event</button>
      <button onClick={() => controls.onConfirm(pending)}>Yes, with a value</button>
    </dialog>
  )
}

/** As a component library's `onConfirm(value)`: what it hands over is no event. */
const controls = { onConfirm: (pending: PendingApproval): void => pending.approve("confirmed") }

const CLICK = { isTrusted: true, type: "click" }

function button(page: Mounted, text: string): HTMLButtonElement {
  const found = [...page.container.querySelectorAll("button")].find((one) => one.textContent === text)
  if (!found) throw new Error(`no button "${text}" in ${page.container.innerHTML}`)
  return found
}

/** How the call's only question ended, as its record has it. */
function decided(): { readonly status: string; readonly by: ApprovedBy | undefined } {
  const record = clientState().calls.at(-1)
  const approved = record?.approvals[0]
  return { status: approved?.status ?? "none", by: approved?.by }
}

function clientState() {
  const shared = session.shareToolClient("web")
  shared.release()
  return shared.client.state
}

describe.each(MODES)("useToolApproval$mode", ({ strict }) => {
  const tree = (props: PayProps = {}) => (
    <Web session={session}>
      <Pay {...props} />
    </Web>
  )
  const mountPay = async (props: PayProps = {}): Promise<Mounted> => {
    const page = await mount(tree(props), { strict })
    await session.settle()
    return page
  }
  /** Calls, and waits until the person is asked. */
  async function asked(args: object = {}, callId?: string): Promise<{ readonly answer: Promise<string> }> {
    const answer = session.callTool("pay", args, callId === undefined ? {} : { callId })
    const text = answer.then((given) => given.text, String)
    await session.settle()
    return { answer: text }
  }

  it("shows what is asked, and goes on when a person approves", async () => {
    const page = await mountPay()
    expect(approval.pending).toBeNull()
    const { answer } = await asked({ amount: 5 })
    expect(page.container.textContent).toContain('Pay {"amount":5}? (1)')
    expect(approval.pending).toMatchObject({ tool: "pay", arguments: { amount: 5 }, message: 'Pay {"amount":5}?' })
    expect(decided()).toEqual({ status: "waiting", by: undefined })
    approval.pending?.approve(CLICK)
    expect(await answer).toBe("paid")
    expect(decided()).toEqual({ status: "approved", by: "person" })
    expect(approval.pending).toBeNull()
    expect(page.container.textContent).toBe("")
  })

  it("stops when a person refuses", async () => {
    await mountPay()
    const { answer } = await asked()
    approval.pending?.refuse(CLICK)
    expect(await answer).toBe("not paid")
    expect(decided()).toEqual({ status: "refused", by: "person" })
  })

  it.each(["Yes", "Yes, without its event", "Yes, with a value"])("ignores a click on %j that no person made, with a notice", async (text) => {
    const page = await mountPay()
    const { answer } = await asked()
    button(page, text).click()
    await session.settle()
    expect(String(consoleSaid())).toContain('"pay"')
    expect(decided()).toEqual({ status: "waiting", by: undefined })
    approval.pending?.refuse(CLICK)
    expect(await answer).toBe("not paid")
  })

  it("is decided by a test that plays the person, who may be asked by another tool too", async () => {
    const page = await mountPay()
    const first = session.callTool("pay", { n: 1 })
    const second = session.callTool("pay", { n: 2 })
    await session.approve("pay")
    expect((await first).text).toBe("paid")
    await session.refuse()
    expect((await second).text).toBe("not paid")
    expect(decided()).toEqual({ status: "refused", by: "person" })
    expect(page.container.textContent).toBe("")
    await expect(session.approve("pay")).rejects.toThrow(/"pay" does not ask a person right now.*wait: none.*under way: none.*without awaiting/)
  })

  it("is not a test's to decide once it has ended otherwise", async () => {
    await mountPay({ options: { timeout: 5_000 } })
    const { answer } = await asked()
    await session.clock.advance(5_000)
    expect(await answer).toBe("not paid")
    await expect(session.approve()).rejects.toThrow("No tool asks")
  })

  it.each(["Yes", "Yes, without its event", "Yes, with a value"])("counts a click on %j that a test makes as the person, and none after it", async (text) => {
    const page = await mountPay()
    const first = await asked()
    await session.asPerson(() => button(page, text).click())
    expect(await first.answer).toBe("paid")
    expect(decided()).toEqual({ status: "approved", by: "person" })
    const second = await asked()
    button(page, text).click()
    await session.settle()
    expect(String(consoleSaid())).toContain('session.approve("pay")')
    expect(decided().status).toBe("waiting")
    await session.refuse()
    expect(await second.answer).toBe("not paid")
  })

  it("lets a script refuse, and records that it was one", async () => {
    const page = await mountPay()
    const { answer } = await asked()
    button(page, "No").click()
    expect(await answer).toBe("not paid")
    expect(decided()).toEqual({ status: "refused", by: "code" })
  })

  it.each<[what: string, event: object | undefined, by: ApprovedBy]>([
    ["no event at all", undefined, "code"],
    ["a message of the browser's own", { isTrusted: true, type: "message" }, "code"],
    ["a person's click", CLICK, "person"],
    ["a person's key", { isTrusted: true, type: "keydown" }, "person"],
  ])("records who approved while the page handles %s", async (_what, event, by) => {
    await mountPay()
    const { answer } = await asked()
    vi.stubGlobal("event", event)
    approval.pending?.approve()
    vi.unstubAllGlobals()
    expect(await answer).toBe("paid")
    expect(decided()).toEqual({ status: "approved", by })
  })

  it("asks one after the other, the oldest first, each for its own call", async () => {
    const page = await mountPay()
    const first = await asked({ n: 1 }, "call-1")
    const second = await asked({ n: 2 }, "call-2")
    expect(page.container.textContent).toContain('Pay {"n":1}? (2)')
    expect(approval.waiting.map(({ callId }) => callId)).toEqual(["call-1", "call-2"])
    const [firstPending, secondPending] = approval.waiting
    secondPending?.approve(CLICK)
    expect(await second.answer).toBe("paid")
    expect(page.container.textContent).toContain('Pay {"n":1}? (1)')
    firstPending?.refuse(CLICK)
    expect(await first.answer).toBe("not paid")
  })

  it("counts the first decision only", async () => {
    await mountPay()
    const { answer } = await asked()
    const pending = approval.pending
    pending?.refuse(CLICK)
    pending?.approve(CLICK)
    expect(await answer).toBe("not paid")
    expect(decided()).toEqual({ status: "refused", by: "person" })
    // Nor does a later one render anything.
    await session.settle()
    const { waiting } = approval
    pending?.refuse(CLICK)
    await session.settle()
    expect(approval.waiting).toBe(waiting)
  })

  it("keeps `ask` the same function at each render", async () => {
    const page = await mountPay()
    const { ask } = approval
    await page.render(tree({ options: { message: "Really?" } }))
    expect(approval.ask).toBe(ask)
  })

  it("refuses when its own timeout has passed", async () => {
    const page = await mountPay({ options: { timeout: 5_000 } })
    const { answer } = await asked()
    await session.clock.advance(4_999)
    expect(decided().status).toBe("waiting")
    await session.clock.advance(1)
    expect(await answer).toBe("not paid")
    expect(decided()).toEqual({ status: "refused", by: "timeout" })
    expect(page.container.textContent).toBe("")
  })

  it.each([Infinity, 2 ** 31, 1e15])("waits for the person with a timeout of %d ms", async (timeout) => {
    await mountPay({ options: { timeout } })
    const { answer } = await asked()
    await session.clock.advance(60_000)
    expect(decided().status).toBe("waiting")
    approval.pending?.approve(CLICK)
    expect(await answer).toBe("paid")
  })

  it("leaves no timer behind when it was decided before its timeout", async () => {
    await mountPay({ options: { timeout: 5_000 } })
    const { pending } = session.clock
    const { answer } = await asked()
    approval.pending?.approve(CLICK)
    expect(await answer).toBe("paid")
    expect(session.clock.pending).toBe(pending)
  })

  it("refuses when the call is cancelled", async () => {
    await mountPay()
    const { answer } = await asked({}, "call-1")
    session.cancelCall("call-1", "nobody waits any more")
    expect(await answer).toContain("nobody waits any more")
    await session.settle()
    expect(decided()).toEqual({ status: "refused", by: "abort" })
    expect(approval.pending).toBeNull()
  })

  it("refuses when the call's deadline comes", async () => {
    await mountPay()
    const { answer } = await asked()
    await session.clock.advance(295_000)
    expect(await answer).toBe("not paid")
    expect(decided()).toEqual({ status: "refused", by: "deadline" })
  })

  it("refuses when the component that asks unmounts", async () => {
    const page = await mountPay()
    const { answer } = await asked()
    await page.render(<Web session={session} />)
    expect(await answer).toBe("not paid")
    expect(decided()).toEqual({ status: "refused", by: "unmount" })
  })

  it("refuses what is asked after its component has unmounted", async () => {
    const page = await mountPay()
    const { ask } = approval
    await page.render(<Web session={session} />)
    const settle = vi.fn()
    const call = { askPerson: () => ({ settle }), signal: new AbortController().signal } as never
    expect(await ask(call, { message: "Is anybody there?" })).toBe(false)
    expect(settle).toHaveBeenCalledExactlyOnceWith(false, "unmount")
  })

  it("stops the tool's own timeout while a person is asked", async () => {
    await mountPay({ timeout: 1_000 })
    const { answer } = await asked()
    await session.clock.advance(60_000)
    expect(decided().status).toBe("waiting")
    approval.pending?.approve(CLICK)
    expect(await answer).toBe("paid")
    expect(decided()).toEqual({ status: "approved", by: "person" })
  })

  it("lets the tool's own timeout run on when the person has decided", async () => {
    await mountPay({ timeout: 1_000, until: new Promise(() => {}) })
    const { answer } = await asked()
    await session.clock.advance(60_000)
    approval.pending?.approve(CLICK)
    await session.clock.advance(3_000)
    expect(await answer).toContain("1000 ms")
  })
})

// Only a browser knows whether a person clicked: the driver's clicks and keys count, a script's do not.
import { useEffect } from "react"
import { type ToolApproval, useTool, useToolApproval, useToolCalls } from "react-tool-client"
import { createTestSession, type TestSession } from "react-tool-client/testing"
import { beforeEach, describe, expect, it } from "vitest"
import { page, userEvent } from "vitest/browser"
import { useWeb, Web } from "../react/support/components.tsx"
import { consoleSaid } from "../react/support/console.ts"
import { mount, MODES } from "../react/support/mount.tsx"

let session: TestSession
beforeEach(() => {
  session = createTestSession()
})

/** Resolves in the handler of a message, which is trusted and no gesture. */
const later = (): Promise<void> => session.settle()

function Pay({ onApproval }: { readonly onApproval?: (approval: ToolApproval) => void }) {
  const approval = useToolApproval()
  const { ask, pending } = approval
  const client = useWeb()
  useTool(client, "pay", {
    description: "Pays.",
    parameters: {},
    execute: async (_args, call) => ((await ask(call, { message: "Pay?" })) ? "paid" : "not paid"),
  })
  useEffect(() => onApproval?.(approval))
  const [decided] = useToolCalls(client).flatMap(({ approvals }) => approvals)
  return (
    <>
      <output>{decided ? `${decided.status} by ${decided.by ?? "nobody"}` : ""}</output>
      {pending && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            pending.approve(event)
          }}
        >
          <label>
            Code <input />
          </label>
          <button type="button" onClick={pending.approve}>
            Yes
          </button>
          <button type="button" onClick={() => pending.approve()}>
            Yes, without its event
          </button>
          <button
            type="button"
            onClick={() => void later().then(() => pending.approve())}
          >
            Yes, later
          </button>
          <button type="button" onClick={pending.refuse}>
            No
          </button>
        </form>
      )}
    </>
  )
}

describe.each(MODES)("an approval$mode", ({ strict }) => {
  async function asked(onApproval?: (approval: ToolApproval) => void) {
    const mounted = await mount(
      <Web session={session}>
        <Pay {...(onApproval && { onApproval })} />
      </Web>,
      { strict },
    )
    await session.settle()
    const answer = session.callTool("pay")
    await session.settle()
    const output = (): string | null | undefined => mounted.container.querySelector("output")?.textContent
    return { text: answer.then(({ text }) => text), output }
  }

  it.each(["Yes", "Yes, without its event"])("by a person's click on %j counts", async (name) => {
    const { text, output } = await asked()
    await userEvent.click(page.getByRole("button", { name, exact: true }))
    expect(await text).toBe("paid")
    expect(output()).toBe("approved by person")
  })

  it("by a person's key counts", async () => {
    const { text, output } = await asked()
    await userEvent.click(page.getByRole("textbox"))
    await userEvent.keyboard("1234{Enter}")
    expect(await text).toBe("paid")
    expect(output()).toBe("approved by person")
  })

  it.each(["Yes", "Yes, without its event"])("by a script's click on %j is ignored, with a notice", async (name) => {
    const { text, output } = await asked()
    const button = page.getByRole("button", { name, exact: true }).element() as HTMLButtonElement
    button.click()
    button.dispatchEvent(new MouseEvent("click", { bubbles: true }))
    await session.settle()
    expect(output()).toBe("waiting by nobody")
    expect(consoleSaid()).toEqual([expect.stringContaining('"pay"'), expect.stringContaining('"pay"')])
    await userEvent.click(page.getByRole("button", { name: "No", exact: true }))
    expect(await text).toBe("not paid")
    expect(output()).toBe("refused by person")
  })

  it("after the person's event is over counts as the code's", async () => {
    const { text, output } = await asked()
    await userEvent.click(page.getByRole("button", { name: "Yes, later", exact: true }))
    expect(await text).toBe("paid")
    expect(output()).toBe("approved by code")
  })

  it("by an effect counts as the code's, although React runs it while the browser handles a trusted message", async () => {
    const { text, output } = await asked(({ pending }) => pending?.approve())
    expect(await text).toBe("paid")
    expect(output()).toBe("approved by code")
  })
})

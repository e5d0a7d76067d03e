import type { Meta, StoryObj } from "@storybook/react-vite"
import type { JSX } from "react"
import { useSession, useTool, useToolApproval, useToolClient } from "react-tool-client"
import { expect, waitFor } from "storybook/test"
import { z } from "zod"
import approvalSource from "../src/react/useToolApproval.ts?raw"
import { CallTable } from "./support/CallTable.tsx"
import { Demo } from "./support/Demo.tsx"
import { sessionOf, withSession } from "./support/sessionOf.ts"
import { tsdoc } from "./support/tsdoc.ts"

/** Milliseconds that the agent waits for the answer. */
const DEADLINE_MS = 60_000

const meta = {
  title: "Approval",
  parameters: { docs: { description: { component: `**\`useToolApproval()\`** ${tsdoc(approvalSource, "useToolApproval")}` } } },
  loaders: [withSession()],
  render: (_args, context) => (
    <Demo session={sessionOf(context)}>
      <Checkout />
    </Demo>
  ),
} satisfies Meta

export default meta

type Story = StoryObj<typeof meta>

function Checkout(): JSX.Element {
  const client = useToolClient(useSession("demo"), "web")
  const { ask, pending } = useToolApproval()
  useTool(client, "check_out", {
    description: "Buys what is in the cart.",
    schema: z.object({}),
    execute: async (_, call) => {
      const isApproved = await ask(call, { message: "Buy everything in the cart, for 40 €?" })
      return isApproved ? "Bought. The receipt is R-17." : "The person said no."
    },
  })
  return (
    <>
      {pending ? (
        <section role="alertdialog" aria-label="The agent asks" aria-describedby="question">
          <h2>The agent asks</h2>
          <p id="question">{pending.message}</p>
          <button type="button" onClick={pending.approve}>
            Buy
          </button>
          <button type="button" onClick={pending.refuse}>
            No
          </button>
        </section>
      ) : (
        <section aria-label="Cart">
          <h2>Cart</h2>
          <p>A kettle, 40 €</p>
        </section>
      )}
      <CallTable client={client} />
    </>
  )
}

/** The call waits for a person; a tool's own `timeout` stands still meanwhile. */
export const Asked: Story = {
  play: async (context) => {
    const { canvas } = context
    const session = sessionOf(context)
    await session.settle()
    void session.callTool("check_out").catch(() => {})
    await expect(await canvas.findByRole("alertdialog")).toBeVisible()
    await expect(canvas.getByText("a person is asked")).toBeVisible()
  },
}

/** The person has approved: the tool goes on, and its record says who decided. */
export const Approved: Story = {
  play: async (context) => {
    const { canvas } = context
    const session = sessionOf(context)
    await session.settle()
    const answer = session.callTool("check_out")
    await canvas.findByRole("alertdialog")
    await session.approve("check_out")
    await expect(await answer).toMatchObject({ is_error: false, text: "Bought. The receipt is R-17." })
    await expect(await canvas.findByText("Bought. The receipt is R-17.")).toBeVisible()
    await expect(canvas.queryByRole("alertdialog")).toBeNull()
  },
}

/** The person has refused: the tool says so in its own words, and has done nothing. */
export const Refused: Story = {
  play: async (context) => {
    const { canvas } = context
    const session = sessionOf(context)
    await session.settle()
    const answer = session.callTool("check_out")
    await canvas.findByRole("alertdialog")
    await session.refuse("check_out")
    await expect(await answer).toMatchObject({ text: "The person said no." })
    await expect(await canvas.findByText("refused by a person")).toBeVisible()
  },
}

/** Nobody decides before the agent's deadline comes near: the question goes, and the agent is told. */
export const NobodyDecides: Story = {
  name: "Nobody decides",
  play: async (context) => {
    const { canvas } = context
    const session = sessionOf(context)
    await session.settle()
    const answer = session.callTool("check_out", {}, { deadlineMs: DEADLINE_MS })
    await canvas.findByRole("alertdialog")
    await session.clock.advance(DEADLINE_MS)
    await expect(await answer).toMatchObject({ text: "The person said no." })
    await waitFor(() => expect(canvas.queryByRole("alertdialog")).toBeNull())
    await expect(await canvas.findByText("refused by its deadline")).toBeVisible()
  },
}

/** A click of a script does not count as a person's. */
export const AScriptedClick: Story = {
  name: "A scripted click",
  play: async (context) => {
    const { canvas } = context
    const session = sessionOf(context)
    await session.settle()
    void session.callTool("check_out").catch(() => {})
    const buy = await canvas.findByRole("button", { name: "Buy" })
    buy.dispatchEvent(new MouseEvent("click", { bubbles: true }))
    await session.settle()
    await expect(canvas.getByRole("alertdialog")).toBeVisible()
  },
}

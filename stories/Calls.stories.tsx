import type { Meta, StoryObj } from "@storybook/react-vite"
import { type JSX, useState } from "react"
import { useSession, useTool, useToolClient } from "react-tool-client"
import type { FakeClock, TestSession } from "react-tool-client/testing"
import { expect, waitFor } from "storybook/test"
import { z } from "zod"
import callsSource from "../src/react/useToolCalls.ts?raw"
import recordSource from "../src/toolClient/calls.ts?raw"
import { CallTable } from "./support/CallTable.tsx"
import { Demo } from "./support/Demo.tsx"
import { sessionOf, withSession } from "./support/sessionOf.ts"
import { tsdoc } from "./support/tsdoc.ts"

const meta = {
  title: "Calls",
  parameters: {
    docs: {
      description: { component: `**\`useToolCalls(client, filter?)\`** ${tsdoc(callsSource, "useToolCalls")}\n\n**A call's record.** ${tsdoc(recordSource, "CallRecord")}` },
    },
  },
  loaders: [withSession()],
  render: (_args, context) => (
    <Demo session={sessionOf(context)}>
      <Shop session={sessionOf(context)} />
    </Demo>
  ),
} satisfies Meta

export default meta

type Story = StoryObj<typeof meta>

/** Milliseconds of the session's clock. */
const PACK_MS = 2_000

const STEPS = 4

/** Milliseconds that the courier is waited for. */
const COURIER_MS = 3_000

const wait = (clock: FakeClock, ms: number): Promise<void> => new Promise((resolve) => void clock.setTimeout(resolve, ms))

function Shop({ session }: { readonly session: TestSession }): JSX.Element {
  const client = useToolClient(useSession("demo"), "web")
  const [seconds, setSeconds] = useState(0)
  const { clock } = session
  useTool(client, "pack", {
    description: "Packs one thing after the other.",
    schema: z.object({ item: z.string().min(1) }),
    concurrency: "serial",
    execute: async ({ item }) => {
      await wait(clock, PACK_MS)
      if (item === "glass") throw new Error("There is no more paper to wrap glass in.")
      return `Packed ${item}.`
    },
  })
  useTool(client, "import_orders", {
    description: "Imports orders, and says how far it is.",
    schema: z.object({}),
    execute: async (_, call) => {
      for (let step = 1; step <= STEPS; step++) {
        await wait(clock, PACK_MS)
        call.progress(step, STEPS, `${step} of ${STEPS} files`)
      }
      return `Imported ${STEPS} files.`
    },
  })
  useTool(client, "call_courier", {
    description: "Calls a courier, who never comes.",
    schema: z.object({}),
    timeout: COURIER_MS,
    execute: () => new Promise<string>(() => {}),
  })
  const call = (tool: string, args: object): void => void session.callTool(tool, args).catch(() => {})
  const giveUp = (): void => {
    for (const { callId, settledAt } of client.state.calls) if (settledAt === undefined) session.cancelCall(callId, "the agent was stopped")
  }
  return (
    <>
      <section aria-label="Controls">
        <h2>The agent, and the clock</h2>
        <button type="button" onClick={() => call("pack", { item: "books" })}>
          Pack books
        </button>
        <button type="button" onClick={() => call("pack", { item: "glass" })}>
          Pack glass
        </button>
        <button type="button" onClick={() => call("pack", { item: "" })}>
          Pack nothing
        </button>
        <button type="button" onClick={() => call("import_orders", {})}>
          Import orders
        </button>
        <button type="button" onClick={() => call("call_courier", {})}>
          Call a courier
        </button>
        <button
          type="button"
          onClick={() => {
            session.failNext("answer", 400)
            call("pack", { item: "a letter" })
          }}
        >
          Pack, and lose the answer
        </button>
        <button type="button" onClick={giveUp}>
          The agent gives up
        </button>
        <p>
          <button
            type="button"
            onClick={() => {
              setSeconds(seconds + 1)
              void clock.advance(1_000)
            }}
          >
            One second passes
          </button>
          <output aria-label="The clock">{`${seconds} s`}</output>
        </p>
      </section>
      <CallTable client={client} />
    </>
  )
}

/** Waits its turn: the tool is `serial`, and the call before it runs. */
export const Acked: Story = {
  play: async (context) => {
    const { canvas, userEvent } = context
    await sessionOf(context).settle()
    await userEvent.click(canvas.getByRole("button", { name: "Pack glass" }))
    await userEvent.click(canvas.getByRole("button", { name: "Pack books" }))
    await expect(await canvas.findByText("acked")).toBeVisible()
    await expect(canvas.getByText("running")).toBeVisible()
  },
}

/** `execute` has begun. */
export const Running: Story = {
  play: async (context) => {
    const { canvas, userEvent } = context
    await sessionOf(context).settle()
    await userEvent.click(canvas.getByRole("button", { name: "Pack books" }))
    await expect(await canvas.findByText("running")).toBeVisible()
  },
}

/** The server has taken the answer. */
export const Answered: Story = {
  play: async (context) => {
    const session = sessionOf(context)
    await session.settle()
    const answer = session.callTool("pack", { item: "books" })
    await session.clock.advance(PACK_MS)
    await answer
    await expect(await context.canvas.findByText("Packed books.")).toBeVisible()
    await expect(context.canvas.getByText("answered")).toBeVisible()
  },
}

/** What throws, and arguments that the schema refuses, are answers too: the model can act on them. */
export const AnsweredWithAnError: Story = {
  name: "Answered with an error",
  play: async (context) => {
    const { canvas } = context
    const session = sessionOf(context)
    await session.settle()
    await session.callTool("pack", { item: "" })
    const answer = session.callTool("pack", { item: "glass" })
    await session.clock.advance(PACK_MS)
    await answer
    await expect(await canvas.findByText(/no more paper/)).toBeVisible()
    await expect(canvas.getByText(/its arguments were refused/)).toBeVisible()
  },
}

/** The server refused the answer: the model never gets it, and `error` says why. */
export const Failed: Story = {
  play: async (context) => {
    const { canvas, userEvent } = context
    const session = sessionOf(context)
    await session.settle()
    await userEvent.click(canvas.getByRole("button", { name: "Pack, and lose the answer" }))
    await session.clock.advance(PACK_MS)
    await expect(await canvas.findByText("failed")).toBeVisible()
  },
}

/** The agent gave the call up: its phase is `failed` too, and `isCancelled` says that nothing went wrong. What the tool makes of `call.signal` is not told to anybody. */
export const Cancelled: Story = {
  play: async (context) => {
    const { canvas, userEvent } = context
    await sessionOf(context).settle()
    await userEvent.click(canvas.getByRole("button", { name: "Import orders" }))
    await canvas.findByText("running")
    await userEvent.click(canvas.getByRole("button", { name: "The agent gives up" }))
    await expect(await canvas.findByText("cancelled")).toBeVisible()
    await expect(canvas.getByText(/the agent was stopped/)).toBeVisible()
  },
}

/** A tool that takes longer than its `timeout` is told by `call.signal`; when it does not come back, the model is answered without it. */
export const TimedOut: Story = {
  name: "Timed out",
  play: async (context) => {
    const { canvas, userEvent } = context
    const session = sessionOf(context)
    await session.settle()
    await userEvent.click(canvas.getByRole("button", { name: "Call a courier" }))
    await canvas.findByText("running")
    await session.clock.advance(2 * COURIER_MS)
    await expect(await canvas.findByText(/took longer than the 3000 ms/)).toBeVisible()
  },
}

/** `call.progress` shows people how far a call is. */
export const Progress: Story = {
  play: async (context) => {
    const { canvas, userEvent } = context
    const session = sessionOf(context)
    await session.settle()
    await userEvent.click(canvas.getByRole("button", { name: "Import orders" }))
    await session.clock.advance(2 * PACK_MS)
    await expect(await canvas.findByRole("progressbar")).toHaveAttribute("value", "2")
    await expect(canvas.getByText("2 of 4 files")).toBeVisible()
  },
}

/** Every phase, by hand: call, and let the seconds pass. */
export const Live: Story = {
  play: async (context) => {
    const { canvas, userEvent } = context
    await sessionOf(context).settle()
    const second = canvas.getByRole("button", { name: "One second passes" })
    for (const name of ["Pack books", "Pack glass", "Pack nothing", "Import orders"]) await userEvent.click(canvas.getByRole("button", { name }))
    await expect(await canvas.findAllByText("running")).toHaveLength(2)
    await expect(canvas.getAllByText("acked")).toHaveLength(2)
    for (let count = 0; count < PACK_MS / 1_000; count++) await userEvent.click(second)
    await expect(await canvas.findByText("Packed books.")).toBeVisible()
    for (let count = 0; count < PACK_MS / 1_000; count++) await userEvent.click(second)
    await expect(await canvas.findByText(/no more paper/)).toBeVisible()
    await waitFor(() => expect(canvas.getAllByText("answered")).toHaveLength(3))
    await expect(canvas.getByText("2 of 4 files")).toBeVisible()
  },
}

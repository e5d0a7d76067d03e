import type { Meta, StoryObj } from "@storybook/react-vite"
import type { JSX } from "react"
import { useSession, useTool, useToolApproval, useToolClient } from "react-tool-client"
import { ToolDevtools } from "react-tool-client/devtools/production"
import type { TestSession } from "react-tool-client/testing"
import { expect, waitFor, within } from "storybook/test"
import { z } from "zod"
import source from "../src/devtools/ToolDevtools.ts?raw"
import { Demo } from "./support/Demo.tsx"
import { sessionOf, withSession } from "./support/sessionOf.ts"
import { tsdoc } from "./support/tsdoc.ts"

const meta = {
  title: "Live panel",
  component: ToolDevtools,
  args: { session: null, inline: true },
  parameters: { layout: "fullscreen", docs: { description: { component: tsdoc(source, "ToolDevtools") }, story: { inline: false, height: "560px" } } },
  // The panel is loaded before the story's play function looks for it.
  loaders: [withSession(), () => import("../src/devtools/panel/Panel.tsx").then(() => ({}))],
  beforeEach: () => localStorage.clear(),
  render: (args, context) => (
    <>
      <Demo session={sessionOf(context)}>
        <Shop session={sessionOf(context)} />
      </Demo>
      <div className={args.inline ? "panel-frame" : undefined}>
        <ToolDevtools {...args} session={sessionOf(context)} />
      </div>
    </>
  ),
} satisfies Meta<typeof ToolDevtools>

export default meta

type Story = StoryObj<typeof meta>

/** The panel lives in a shadow root of its own. The stories take the entry for production, since Storybook's own build is one. */
async function panelOf(canvasElement: HTMLElement) {
  const root = await waitFor(() => {
    const shell = canvasElement.querySelector("[data-react-tool-client-devtools]")?.shadowRoot?.querySelector<HTMLElement>(".shell")
    if (!shell) throw new Error("The panel is not there yet.")
    return shell
  })
  return within(root)
}

function Shop({ session }: { readonly session: TestSession }): JSX.Element {
  const client = useToolClient(useSession("demo"), "web")
  const { ask, pending } = useToolApproval()
  const { clock } = session
  useTool(client, "search", {
    description: "Searches the catalogue.",
    schema: z.object({ query: z.string().min(2).describe("What the person looks for."), limit: z.number().int().max(50).default(10) }),
    annotations: { readOnlyHint: true },
    concurrency: "serial",
    execute: async ({ query, limit }) => {
      await new Promise<void>((resolve) => void clock.setTimeout(resolve, 180))
      if (query === "everything") return { text: "The catalogue is being indexed; try again in a minute.", is_error: true } as const
      return { query, limit, found: [{ id: 1, name: `A ${query}`, price: 4000 }] }
    },
  })
  useTool(client, "check_out", {
    description: "Buys what is in the cart.",
    schema: z.object({}),
    execute: async (_, call) => ((await ask(call, { message: "Buy everything in the cart?" })) ? "Bought." : "The person said no."),
  })
  useTool(client, "import_orders", {
    description: "Imports orders.",
    schema: z.object({ files: z.number() }),
    execute: async ({ files }, call) => {
      for (let done = 0; done < files; done++) {
        call.progress(done, files)
        await new Promise<void>((resolve) => void clock.setTimeout(resolve, 250))
      }
      return "Imported."
    },
  })
  useTool(client, "call_courier", {
    description: "Calls a courier, who never comes.",
    schema: z.object({}),
    timeout: 300,
    execute: () => new Promise<string>(() => {}),
  })
  useTool(client, "delete_all", { description: "Deletes everything.", schema: z.object({}), enabled: false, execute: () => "Deleted." })
  return <p className="shop-state">{pending ? `The agent asks: ${pending.message}` : "A shop that offers tools."}</p>
}

/** Calls of an agent's work. */
const WORK_CALLS = 10

/** An agent's work: one after the other, two at once, refused arguments, an error, a lost answer, a call given up, one whose time was up, a person's no, and what is still under way. */
async function work(session: TestSession): Promise<void> {
  const { clock } = session
  await session.settle()
  const call = (tool: string, args: object): Promise<unknown> => session.callTool(tool, args).catch(() => {})
  void call("search", { query: "kettle" })
  await clock.advance(260)
  void call("search", { query: "cup", limit: 3 })
  void call("search", { query: "everything" })
  void call("search", { query: "x" })
  await clock.advance(700)
  await clock.advance(45_000)
  session.failNext("answer", 400)
  void call("search", { query: "teapot" })
  await clock.advance(220)
  void session.callTool("search", { query: "lamp" }, { callId: "given-up" }).catch(() => {})
  await clock.advance(120)
  session.cancelCall("given-up", "the agent was stopped")
  void call("call_courier", {})
  void call("check_out", {})
  await clock.advance(900)
  await session.refuse("check_out")
  await clock.advance(600)
  void call("import_orders", { files: 5 })
  await clock.advance(120)
  void call("check_out", {})
  await clock.advance(600)
}

/** The time line: each row is a call, its bar the phases it went through. A long time without calls is drawn short. */
export const TimeLine: Story = {
  name: "Time line",
  play: async (context) => {
    await work(sessionOf(context))
    const panel = await panelOf(context.canvasElement)
    await waitFor(() => expect(panel.getAllByRole("option")).toHaveLength(WORK_CALLS))
    await expect(await panel.findByRole("button", { name: /Failed 1/ })).toBeVisible()
    await expect(panel.getByRole("button", { name: /Cancelled 1/ })).toBeVisible()
    for (const name of [/its time was up/, /a person was asked, and refused/]) await expect(panel.getByRole("img", { name })).toBeVisible()
    await context.userEvent.click(panel.getAllByRole("option")[0] as HTMLElement)
    await expect(await panel.findByRole("region", { name: "Call of search" })).toBeVisible()
  },
}

/** In the dark, whatever the system says: the theme is a person's choice, and kept. */
export const Dark: Story = {
  args: { theme: "dark" },
  play: async (context) => {
    await work(sessionOf(context))
    const panel = await panelOf(context.canvasElement)
    await context.userEvent.click(await panel.findByRole("option", { name: /everything/ }))
    await expect(await panel.findByText(/being indexed/)).toBeVisible()
  },
}

/** What is published, beside what was refused last, and a form that calls by hand. */
export const Tools: Story = {
  play: async (context) => {
    const { userEvent } = context
    await work(sessionOf(context))
    const panel = await panelOf(context.canvasElement)
    await userEvent.click(await panel.findByRole("tab", { name: /tools/ }))
    await userEvent.click(await panel.findByRole("button", { name: /search/ }))
    await expect(await panel.findByText(/its arguments were refused/)).toBeVisible()
    await expect(panel.getByRole("form", { name: "Call search by hand" })).toBeVisible()
  },
}

/** Everything that was sent, and why. */
export const Requests: Story = {
  args: { theme: "dark" },
  play: async (context) => {
    const session = sessionOf(context)
    await work(session)
    const panel = await panelOf(context.canvasElement)
    await context.userEvent.click(await panel.findByRole("tab", { name: /requests/ }))
    await expect(await panel.findByText("first registration, with 4 tools")).toBeVisible()
  },
}

/** How the session and its tool clients came to be what they are. */
export const Connection: Story = {
  play: async (context) => {
    const session = sessionOf(context)
    await work(session)
    session.faults.offline()
    await session.clock.advance(4_000)
    session.faults.online()
    const panel = await panelOf(context.canvasElement)
    await context.userEvent.click(await panel.findByRole("tab", { name: /connection/ }))
    await expect(await panel.findByText("for 4 s")).toBeVisible()
  },
}

/** In an application: a button in the corner, and a panel that is docked. */
export const Floating: Story = {
  args: { inline: false },
  play: async (context) => {
    const { userEvent } = context
    const before = await panelOf(context.canvasElement)
    await userEvent.click(await before.findByRole("button", { name: "Open the tool panel" }))
    await work(sessionOf(context))
    const panel = await panelOf(context.canvasElement)
    await waitFor(() => expect(panel.getAllByRole("option")).toHaveLength(WORK_CALLS))
    await userEvent.click(panel.getByRole("button", { name: "Dock at the right" }))
    await expect(panel.getByRole("complementary")).toBeVisible()
  },
}

/** As it begins. */
export const NoCallYet: Story = {
  name: "No call yet",
  play: async (context) => {
    const panel = await panelOf(context.canvasElement)
    await expect(await panel.findByText(/No agent has called yet/)).toBeVisible()
  },
}

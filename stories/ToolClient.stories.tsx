import type { Meta, StoryObj } from "@storybook/react-vite"
import { type JSX, StrictMode, useState } from "react"
import { type ToolClient, useSession, useTool, useToolClient } from "react-tool-client"
import type { TestSession } from "react-tool-client/testing"
import { expect, waitFor } from "storybook/test"
import { z } from "zod"
import clientSource from "../src/react/useToolClient.ts?raw"
import { Demo } from "./support/Demo.tsx"
import { RequestCounter } from "./support/RequestCounter.tsx"
import { SessionStatus } from "./support/SessionStatus.tsx"
import { sessionOf, withSession } from "./support/sessionOf.ts"
import { ToolClientStatus } from "./support/ToolClientStatus.tsx"
import { tsdoc } from "./support/tsdoc.ts"

const meta = {
  title: "Tool client",
  parameters: { docs: { description: { component: `**\`useToolClient(session, name, options?)\`** ${tsdoc(clientSource, "useToolClient")}` } } },
  loaders: [withSession()],
  render: (_args, context) => (
    <Demo session={sessionOf(context)}>
      <Page session={sessionOf(context)} />
    </Demo>
  ),
} satisfies Meta

export default meta

type Story = StoryObj<typeof meta>

const GREET = { description: "Greets somebody.", schema: z.object({ name: z.string() }), execute: ({ name }: { name: string }) => `Hello ${name}.` }

function Page({ session }: { readonly session: TestSession }): JSX.Element {
  const client = useToolClient(useSession("demo"), "web")
  useTool(client, "greet", GREET)
  return (
    <>
      <ToolClientStatus client={client} />
      <RequestCounter session={session} />
    </>
  )
}

/** A client that a script made: the hooks' is gone with its component, and so would never be seen to leave. */
function OwnClient({ client }: { readonly client: ToolClient }): JSX.Element {
  return <ToolClientStatus client={client} />
}

const ownClient = (): { session: TestSession; client: ToolClient } => {
  const { session } = withSession()()
  const client = session.createToolClient("web")
  client.addTool("greet", GREET)
  return { session, client }
}

const renderOwn: Story["render"] = (_args, context) => (
  <Demo session={sessionOf(context)}>
    <OwnClient client={context.loaded.client as ToolClient} />
  </Demo>
)

/** The stream is not open yet, so nothing is registered. */
export const Joining: Story = {
  loaders: [withSession({ isOpen: false })],
  play: async ({ canvas }) => {
    await expect(await canvas.findByText("joining")).toBeVisible()
    await expect(canvas.getByLabelText("register requests")).toHaveTextContent("0")
  },
}

/** Registered, and its tools are live: one request. */
export const Serving: Story = {
  play: async ({ canvas }) => {
    await expect(await canvas.findByText("serving")).toBeVisible()
    await expect(canvas.getByText("greet")).toBeVisible()
    await waitFor(() => expect(canvas.getByLabelText("register requests")).toHaveTextContent("1"))
  },
}

/** The server has the name already, of another tab: it gives this one a suffix. */
export const ServingUnderAnotherName: Story = {
  name: "Serving under another name",
  loaders: [
    async () => {
      const made = withSession()()
      made.session.createToolClient("web", { lifetime: { type: "never" } })
      await made.session.settle()
      return made
    },
  ],
  play: async ({ canvas }) => {
    await expect(await canvas.findByText("web_2")).toBeVisible()
  },
}

/** Refused: `state.error` and `ready` say why. */
export const Failed: Story = {
  loaders: [
    () => {
      const made = withSession()()
      made.session.failNext("register", 403)
      return made
    },
  ],
  play: async ({ canvas }) => {
    await expect(await canvas.findByText("failed")).toBeVisible()
    await expect(canvas.getByText(/403/)).toBeVisible()
  },
}

/** Its DELETE is under way. */
export const Leaving: Story = {
  loaders: [ownClient],
  render: renderOwn,
  play: async (context) => {
    const { canvas, loaded } = context
    const session = sessionOf(context)
    await canvas.findByText("serving")
    session.hold()
    void session.deleteToolClient(loaded.client as ToolClient)
    await expect(await canvas.findByText("leaving")).toBeVisible()
  },
}

/** Deleted. */
export const Left: Story = {
  loaders: [ownClient],
  render: renderOwn,
  play: async (context) => {
    const { canvas, loaded } = context
    await canvas.findByText("serving")
    await sessionOf(context).deleteToolClient(loaded.client as ToolClient)
    await expect(await canvas.findByText("left")).toBeVisible()
  },
}

/** The network goes and comes back: the page serves on, and the server is asked whether it still knows it. */
export const OfflineAndBack: Story = {
  name: "Offline and back",
  render: (_args, context) => (
    <Demo session={sessionOf(context)}>
      <SessionStatus session={sessionOf(context)} />
      <Page session={sessionOf(context)} />
    </Demo>
  ),
  play: async (context) => {
    const { canvas } = context
    const session = sessionOf(context)
    await canvas.findByText("serving")
    session.faults.offline()
    await canvas.findByText("reconnecting")
    session.faults.online()
    await expect(await canvas.findByText("open")).toBeVisible()
    await waitFor(() => expect(canvas.getByLabelText("ping requests")).toHaveTextContent("1"))
    await expect(canvas.getByLabelText("register requests")).toHaveTextContent("1")
    await expect(await session.callTool("greet", { name: "Ada" })).toMatchObject({ text: "Hello Ada." })
  },
}

/** The server was started anew and knows nothing any more: the page registers again, by itself. */
export const AfterAServersRestart: Story = {
  name: "After a server’s restart",
  play: async (context) => {
    const { canvas } = context
    const session = sessionOf(context)
    await canvas.findByText("serving")
    session.faults.restart()
    await waitFor(() => expect(canvas.getByLabelText("register requests")).toHaveTextContent("2"))
    await expect(await canvas.findByText("serving")).toBeVisible()
  },
}

function Remounted({ session }: { readonly session: TestSession }): JSX.Element {
  const [key, setKey] = useState(0)
  return (
    <>
      <button type="button" onClick={() => setKey(key + 1)}>
        Change its key
      </button>
      <Page key={key} session={session} />
    </>
  )
}

/** Strict Mode mounts everything twice, and a changed `key` anew: still one registration, and no tool is absent in between. */
export const StrictModeAndKeys: Story = {
  name: "Strict Mode and keys",
  render: (_args, context) => (
    <StrictMode>
      <Demo session={sessionOf(context)}>
        <Remounted session={sessionOf(context)} />
      </Demo>
    </StrictMode>
  ),
  play: async (context) => {
    const { canvas, userEvent } = context
    await canvas.findByText("serving")
    await userEvent.click(canvas.getByRole("button", { name: "Change its key" }))
    await userEvent.click(canvas.getByRole("button", { name: "Change its key" }))
    await sessionOf(context).settle()
    await waitFor(() => expect(canvas.getByLabelText("register requests")).toHaveTextContent("1"))
    for (const type of ["update", "delete"]) await expect(canvas.getByLabelText(`${type} requests`)).toHaveTextContent("0")
    await expect(await canvas.findByText("serving")).toBeVisible()
  },
}

import type { Meta, StoryObj } from "@storybook/react-vite"
import type { JSX } from "react"
import { createSessionClient, type Session, SessionProvider, useSession } from "react-tool-client"
import { expect, waitFor } from "storybook/test"
import sessionSource from "../src/react/useSession.ts?raw"
import stateSource from "../src/react/useSessionState.ts?raw"
import { Demo } from "./support/Demo.tsx"
import { SessionStatus } from "./support/SessionStatus.tsx"
import { sessionOf, withSession } from "./support/sessionOf.ts"
import { tsdoc } from "./support/tsdoc.ts"

const meta = {
  title: "Session",
  component: SessionProvider,
  args: { client: { open: () => nothing(), share: () => nothing() } },
  parameters: {
    docs: {
      description: {
        component: `**\`useSession(id)\`** ${tsdoc(sessionSource, "useSession")}\n\n**\`useSessionState(session, selector?)\`** ${tsdoc(stateSource, "useSessionState")}`,
      },
    },
  },
  loaders: [withSession()],
  render: (_args, context) => (
    <Demo session={sessionOf(context)}>
      <Page />
    </Demo>
  ),
} satisfies Meta<typeof SessionProvider>

export default meta

type Story = StoryObj<typeof meta>

function nothing(): never {
  throw new Error("Each story has a session of its own.")
}

function Page(): JSX.Element {
  const session = useSession("demo")
  return <SessionStatus session={session} />
}

/** The stream is being opened for the first time. */
export const Connecting: Story = {
  loaders: [withSession({ isOpen: false })],
  play: async ({ canvas }) => {
    await expect(await canvas.findByText("connecting")).toBeVisible()
  },
}

/** The stream is open: agents' calls come in. */
export const Open: Story = {
  play: async ({ canvas }) => {
    await expect(await canvas.findByText("open")).toBeVisible()
  },
}

/** The agent works right now, which only an open stream tells. */
export const OpenWhileTheAgentWorks: Story = {
  name: "Open, while the agent works",
  play: async (context) => {
    const { canvas } = context
    await canvas.findByText("open")
    sessionOf(context).setRunning(true)
    await expect(await canvas.findByText("at work")).toBeVisible()
  },
}

/** The stream was lost, and is opened again by itself; a person may hurry it. */
export const Reconnecting: Story = {
  play: async (context) => {
    const { canvas } = context
    await canvas.findByText("open")
    sessionOf(context).disconnect()
    await expect(await canvas.findByText("reconnecting")).toBeVisible()
    await expect(canvas.getByRole("button", { name: "Connect now" })).toBeVisible()
  },
}

/** And back: the button, the network's return and the page's all do the same. */
export const OfflineAndBack: Story = {
  name: "Offline and back",
  play: async (context) => {
    const { canvas, userEvent } = context
    await canvas.findByText("open")
    sessionOf(context).faults.offline()
    await canvas.findByText("reconnecting")
    sessionOf(context).faults.online()
    await expect(await canvas.findByText("open")).toBeVisible()
    sessionOf(context).disconnect()
    await userEvent.click(await canvas.findByRole("button", { name: "Connect now" }))
    await expect(await canvas.findByText("open")).toBeVisible()
  },
}

/** A server that does not know the session: nothing is tried again until the person asks for it. */
export const Failed: Story = {
  loaders: [
    () => {
      const body = { error: { code: "session_not_found", message: 'There is no session "demo".' } }
      const client = createSessionClient({
        baseUrl: "https://agents.example.com",
        getToken: () => "token",
        fetch: () => Promise.resolve(Response.json(body, { status: 404 })),
      })
      return { client }
    },
  ],
  render: (_args, { loaded }) => (
    <SessionProvider client={loaded.client as Parameters<typeof SessionProvider>[0]["client"]} onError={() => {}}>
      <main className="demo">
        <Page />
      </main>
    </SessionProvider>
  ),
  play: async ({ canvas }) => {
    await expect(await canvas.findByText("failed")).toBeVisible()
    await expect(canvas.getByText(/no session "demo"/)).toBeVisible()
  },
}

/** Closed for good: by `session.close()`, or because the last component that used it is gone. */
export const Closed: Story = {
  play: async (context) => {
    const { canvas } = context
    await canvas.findByText("open")
    const session: Session = sessionOf(context)
    await session.close()
    await waitFor(() => expect(canvas.getByText("closed")).toBeVisible())
    await expect(canvas.queryByRole("button")).toBeNull()
  },
}

import type { Meta, StoryObj } from "@storybook/react-vite"
import { type JSX, useState } from "react"
import { pageTool, type ToolClient, useSession, useTool, useToolClient, useToolContext, useTools, useToolStatus } from "react-tool-client"
import type { TestSession } from "react-tool-client/testing"
import { expect, waitFor } from "storybook/test"
import { z } from "zod"
import toolSource from "../src/react/useTool.ts?raw"
import contextSource from "../src/react/useToolContext.ts?raw"
import toolsSource from "../src/react/useTools.ts?raw"
import { badgeTone } from "./support/badgeTone.ts"
import { Demo } from "./support/Demo.tsx"
import { RequestCounter } from "./support/RequestCounter.tsx"
import { sessionOf, withSession } from "./support/sessionOf.ts"
import { ToolClientStatus } from "./support/ToolClientStatus.tsx"
import { tsdoc } from "./support/tsdoc.ts"

const meta = {
  title: "Tools",
  parameters: {
    docs: {
      description: {
        component: [
          `**\`useTool(client, name, definition)\`** ${tsdoc(toolSource, "useTool")}`,
          `**\`useTools(client, tools)\`** ${tsdoc(toolsSource, "useTools")}`,
          `**\`useToolContext(client, name, definition)\`** ${tsdoc(contextSource, "useToolContext")}`,
        ].join("\n\n"),
      },
    },
  },
  loaders: [withSession()],
} satisfies Meta

export default meta

type Story = StoryObj<typeof meta>

function Room({ client, number }: { readonly client: ToolClient; readonly number: number }): JSX.Element {
  useTool(client, "open_window", { description: `Opens the window of room ${number}.`, schema: z.object({}), execute: () => `The window of room ${number} is open.` })
  return <li>{`Room ${number} offers open_window`}</li>
}

function Rooms({ session }: { readonly session: TestSession }): JSX.Element {
  const client = useToolClient(useSession("demo"), "web")
  const [rooms, setRooms] = useState([1, 2])
  return (
    <>
      <section aria-label="Rooms">
        <h2>Rooms</h2>
        <button type="button" onClick={() => setRooms([...rooms, (rooms.at(-1) ?? 0) + 1])}>
          Mount another
        </button>
        <button type="button" disabled={rooms.length === 0} onClick={() => setRooms(rooms.slice(0, -1))}>
          Unmount the last
        </button>
        <ul>
          {rooms.map((number) => (
            <Room key={number} client={client} number={number} />
          ))}
        </ul>
      </section>
      <ToolClientStatus client={client} />
      <RequestCounter session={session} />
    </>
  )
}

/** Several components offer one name: the one mounted last serves, and the one below it serves again when that is gone. */
export const DuplicateNames: Story = {
  name: "Duplicate names",
  render: (_args, context) => (
    <Demo session={sessionOf(context)}>
      <Rooms session={sessionOf(context)} />
    </Demo>
  ),
  play: async (context) => {
    const { canvas, userEvent } = context
    const session = sessionOf(context)
    await canvas.findByText("serving")
    await expect(await session.callTool("open_window")).toMatchObject({ text: "The window of room 2 is open." })
    await userEvent.click(canvas.getByRole("button", { name: "Unmount the last" }))
    await session.settle()
    await expect(await session.callTool("open_window")).toMatchObject({ text: "The window of room 1 is open." })
    await expect(session.published().map(({ description }) => description)).toEqual(["Opens the window of room 1."])
  },
}

function ToolState({ client, name }: { readonly client: ToolClient; readonly name: string }): JSX.Element {
  const status = useToolStatus(client, name)
  return (
    <li>
      {name} <span className={badgeTone(status)}>{status}</span>
    </li>
  )
}

const CITIES = ["amsterdam", "bergen", "cork", "delft", "evora"]

function Cities({ session }: { readonly session: TestSession }): JSX.Element {
  const client = useToolClient(useSession("demo"), "web")
  const [count, setCount] = useState(2)
  const [renders, setRenders] = useState(0)
  const cities = CITIES.slice(0, count)
  useTools(
    client,
    Object.fromEntries(
      cities.map((city) => [
        `go_to_${city}`,
        pageTool({ description: `Shows the map of ${city}.`, parameters: { type: "object" }, execute: () => `The map shows ${city}; rendered ${renders} times more.` }),
      ]),
    ),
  )
  return (
    <>
      <section aria-label="Cities">
        <h2>Cities</h2>
        <button type="button" onClick={() => setCount(CITIES.length)}>
          All
        </button>
        <button type="button" onClick={() => setCount(1)}>
          One
        </button>
        <button type="button" onClick={() => setRenders(renders + 1)}>
          Render again
        </button>
        <ul>
          {cities.map((city) => (
            <ToolState key={city} client={client} name={`go_to_${city}`} />
          ))}
        </ul>
      </section>
      <RequestCounter session={session} />
    </>
  )
}

/** What one commit adds, changes and removes is one request; a render that changes no definition sends nothing. */
export const AChangingSet: Story = {
  name: "A changing set",
  render: (_args, context) => (
    <Demo session={sessionOf(context)}>
      <Cities session={sessionOf(context)} />
    </Demo>
  ),
  play: async (context) => {
    const { canvas, userEvent } = context
    const session = sessionOf(context)
    await canvas.findAllByText("live")
    const updates = canvas.getByLabelText("update requests")
    await userEvent.click(canvas.getByRole("button", { name: "All" }))
    await waitFor(() => expect(canvas.getAllByText("live")).toHaveLength(5))
    await waitFor(() => expect(updates).toHaveTextContent("1"))
    for (let count = 0; count < 5; count++) await userEvent.click(canvas.getByRole("button", { name: "Render again" }))
    // The handler is the last render's all the same.
    await expect(await session.callTool("go_to_cork")).toMatchObject({ text: "The map shows cork; rendered 5 times more." })
    await expect(session.requests("update")).toHaveLength(1)
    await userEvent.click(canvas.getByRole("button", { name: "One" }))
    await waitFor(() => expect(updates).toHaveTextContent("2"))
  },
}

function Switched(): JSX.Element {
  const client = useToolClient(useSession("demo"), "web")
  const [isOn, setOn] = useState(true)
  useTool(client, "check_out", { description: "Buys the cart.", schema: z.object({}), enabled: isOn, execute: () => "Bought." })
  return (
    <>
      <section aria-label="Cart">
        <h2>Cart</h2>
        <label>
          <input type="checkbox" checked={isOn} onChange={(event) => setOn(event.target.checked)} /> There is something in it
        </label>
      </section>
      <ToolClientStatus client={client} />
    </>
  )
}

/** `enabled: false` takes a tool off without unmounting anything; a call that comes nevertheless is told so. */
export const SwitchedOff: Story = {
  name: "Switched off",
  render: (_args, context) => (
    <Demo session={sessionOf(context)}>
      <Switched />
    </Demo>
  ),
  play: async (context) => {
    const { canvas, userEvent } = context
    await canvas.findByText("check_out")
    await userEvent.click(canvas.getByRole("checkbox"))
    await waitFor(() => expect(canvas.queryByText("check_out")).toBeNull())
    await expect(await sessionOf(context).callTool("check_out", {}, { client: "web" })).toMatchObject({ is_error: true, text: /switched off/ })
  },
}

function Reader(): JSX.Element {
  const client = useToolClient(useSession("demo"), "web")
  const [text, setText] = useState("Dear Ada,")
  useToolContext(client, "letter", { description: "The letter that the person is writing.", read: () => ({ text, words: text.split(/\s+/).length }) })
  return (
    <section>
      <h2>
        <label htmlFor="letter">Letter</label>
      </h2>
      <textarea id="letter" rows={4} cols={50} value={text} onChange={(event) => setText(event.target.value)} />
    </section>
  )
}

/** A read-only tool over the page's state: what it answers is always what the person sees. */
export const ReadingThePagesState: Story = {
  name: "Reading the page’s state",
  render: (_args, context) => (
    <Demo session={sessionOf(context)}>
      <Reader />
    </Demo>
  ),
  play: async (context) => {
    const { canvas, userEvent } = context
    const session = sessionOf(context)
    await session.settle()
    await userEvent.type(canvas.getByLabelText("Letter"), " thank you")
    const [tool] = session.published()
    await expect(await session.callTool(tool?.name ?? "")).toMatchObject({ text: '{"text":"Dear Ada, thank you","words":4}' })
  },
}

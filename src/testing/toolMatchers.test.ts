import { beforeEach, describe, expect, it } from "vitest"
import { createTestSession, type TestSession } from "./createTestSession.ts"
import "./vitest.ts"

let session: TestSession
beforeEach(async () => {
  session = createTestSession()
  const client = session.createToolClient("web")
  client.addTool("add_todo", {
    description: "Adds a todo.",
    title: "Add",
    parameters: { type: "object", properties: { title: { type: "string" } } },
    parse: (args) => args as { title?: string },
    execute: ({ title }) => (title ? `Added "${title}".` : { text: "No title.", is_error: true }),
  })
  await client.ready
})

describe("toHavePublished", () => {
  it("looks for the tool's name, and for what of its definition is asked for", () => {
    expect(session).toHavePublished("add_todo")
    expect(session).toHavePublished("add_todo", { title: "Add", description: expect.stringContaining("todo") })
    expect(session).toHavePublished("add_todo", { parameters: expect.objectContaining({ type: "object" }) })
    expect(session).not.toHavePublished("add_todo", { title: "Remove" })
    expect(session).not.toHavePublished("remove_todo")
  })

  it("says what was published", () => {
    expect(() => expect(session).toHavePublished("remove_todo")).toThrow('Expected the tool "remove_todo" to have been published. Published: add_todo.')
    expect(() => expect(session).not.toHavePublished("add_todo")).toThrow('Expected the tool "add_todo" not to have been published. Published: add_todo.')
    expect(() => expect(session).toHavePublished("add_todo", { title: "Remove" })).toThrow(/to have been published with .*Remove.*\. It was published as .*Adds a todo/s)
  })
})

describe("toHaveAnswered", () => {
  it("looks at what the calls were answered: a text, a pattern, or a part", async () => {
    expect(session).not.toHaveAnswered("add_todo")
    await session.callTool("add_todo", { title: "milk" })
    await session.callTool("add_todo")
    expect(session).toHaveAnswered("add_todo")
    expect(session).toHaveAnswered("add_todo", 'Added "milk".')
    expect(session).toHaveAnswered("add_todo", /milk/)
    expect(session).toHaveAnswered("add_todo", { is_error: true, text: expect.stringMatching("title") })
    expect(session).not.toHaveAnswered("add_todo", { is_error: false, text: "No title." })
    expect(session).not.toHaveAnswered("remove_todo")
  })

  it("says what was answered", async () => {
    expect(() => expect(session).toHaveAnswered("add_todo", "Done.")).toThrow(/to have answered .*Done\..* It answered: nothing\./)
    await session.callTool("add_todo")
    expect(() => expect(session).toHaveAnswered("add_todo", /Done/)).toThrow(/to have answered \/Done\/\. It answered: .*No title\..* \(an error\)\./)
  })
})

describe("toHaveSent", () => {
  it("counts the requests of the types that are asked for", async () => {
    expect(session).toHaveSent({ register: 1, update: 0 })
    expect(session).not.toHaveSent({ register: 2 })
    await session.callTool("add_todo")
    expect(session).toHaveSent({ answer: 1 })
  })

  it("says what was sent", () => {
    expect(() => expect(session).toHaveSent({ update: 1 })).toThrow(/It sent .*update.*0.*, in all: register\./s)
  })
})

it("is for a test session only", () => {
  expect(() => expect({}).toHavePublished("add_todo")).toThrow("expect(...).toHavePublished is for a session that createTestSession of react-tool-client/testing made.")
  expect(() => expect(undefined).toHaveAnswered("add_todo")).toThrow(TypeError)
})

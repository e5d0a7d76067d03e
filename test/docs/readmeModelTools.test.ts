import { createSessionClient } from "react-tool-client/client"
import { createSessionServer, serve, type SessionServer } from "react-tool-client/server"
import { expect, it, onTestFinished, vi } from "vitest"
import { z } from "zod"

it("README.md: a model of OpenAI's calls a page's tool, strictly, and null for what it does not give", async () => {
  const server = createSessionServer({ apiKey: "key-of-the-agent", secret: "a secret of at least thirty-two bytes" })
  const { url, close } = await serve(server)
  const { id, token } = await server.createSession()
  const session = createSessionClient({ baseUrl: url, getToken: () => token }).open(id)
  onTestFinished(async () => {
    await session.close()
    await close()
    await server.close()
  })
  const page = session.createToolClient("web")
  page.addTool("add_todo", {
    description: "Add an item.",
    schema: z.object({ title: z.string(), due: z.iso.date().optional() }),
    execute: (args) => args,
  })
  await page.ready

  const askModel = vi.fn().mockResolvedValue({ name: "client__web__add_todo", arguments: '{"title":"milk","due":null}' })
  vi.stubGlobal("askModel", askModel)
  const said = vi.spyOn(console, "log").mockImplementation(() => {})
  const { modelCall } = (await import("docs:README.md/modelCall.ts")) as {
    modelCall(server: SessionServer, sessionId: string): Promise<{ text: string; is_error: boolean }>
  }
  expect(await modelCall(server, id)).toMatchObject({ text: '{"title":"milk"}', is_error: false })
  expect(askModel).toHaveBeenCalledExactlyOnceWith([expect.objectContaining({ name: "client__web__add_todo", strict: true })])
  expect(said).toHaveBeenCalledWith("client__web__add_todo", "due", expect.stringContaining("null"))
})

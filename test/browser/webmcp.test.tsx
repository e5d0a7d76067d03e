// A browser without an agent of its own: the same page works, and nothing is asked for.
import { type ToolClient, useTool, useToolClient } from "react-tool-client"
import { createLocalSession, mirrorToModelContext, WebMcpMirror } from "react-tool-client/webmcp"
import { expect, it } from "vitest"
import "../react/support/console.ts"
import { mount, MODES } from "../react/support/mount.tsx"

const NO_ARGUMENTS = { type: "object", properties: {} } as const

const fetched = (part: string): readonly string[] =>
  performance
    .getEntriesByType("resource")
    .map(({ name }) => name)
    .filter((name) => name.includes(part))

it.each(MODES)("A page whose browser has no agent of its own offers its tools elsewhere, and downloads nothing for it$mode", async ({ strict }) => {
  expect("modelContext" in document).toBe(false)
  const session = createLocalSession()
  let page: ToolClient | undefined
  function Page() {
    page = useToolClient(session, "web")
    useTool(page, "say", { description: "Say.", parameters: NO_ARGUMENTS, execute: () => "said" })
    return <WebMcpMirror client={page} />
  }
  const { unmount } = await mount(<Page />, { strict })
  const jobs = session.createToolClient("jobs")
  const stop = mirrorToModelContext(jobs)
  await page?.ready
  expect(page?.state).toMatchObject({ status: "serving", tools: ["say"] })
  expect(await page?.local.call("say", {})).toEqual({ text: "said", is_error: false })
  stop()
  unmount()
  // What is fetched at all is seen here.
  expect(fetched("webmcp/mirrorToModelContext")).not.toEqual([])
  expect(fetched("webmcp/registrar")).toEqual([])
  await session.close()
})

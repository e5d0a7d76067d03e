import type { Page } from "playwright"
import { expect, test } from "vitest"
import { eventually } from "./support/eventually.ts"
import { picture, withPlayground } from "./support/withPlayground.ts"

const playground = withPlayground("--enable-features=WebMCP")

interface Registered {
  readonly name: string
  readonly inputSchema: { readonly properties?: Readonly<Record<string, { readonly enum?: readonly string[] }>> }
}

/** The agent's side of the browser's API, in the page. */
interface AgentDocument {
  readonly modelContext: {
    getTools(): Promise<Registered[]>
    executeTool(tool: Registered, input: unknown): Promise<string>
  }
}

const TOOLS = ["mix_color", "read_palette", "remove_color"]

const toolsOf = (page: Page): Promise<readonly Registered[]> =>
  page.evaluate(async () => {
    const { modelContext } = document as unknown as AgentDocument
    return (await modelContext.getTools()).map(({ name, inputSchema }) => ({ name, inputSchema }))
  })

const namesOf = async (page: Page): Promise<readonly string[]> => (await toolsOf(page)).map(({ name }) => name)

/** As the browser's own agent calls. */
const execute = (page: Page, name: string, input: unknown): Promise<unknown> =>
  page.evaluate(
    async ([tool, args]) => {
      const { modelContext } = document as unknown as AgentDocument
      const found = (await modelContext.getTools()).find((one) => one.name === tool)
      if (!found) throw new Error(`There is no ${tool}.`)
      return JSON.parse(await modelContext.executeTool(found, args)) as unknown
    },
    [name, input] as const,
  )

const listOf = (page: Page) => page.getByRole("list", { name: "Registered tools" })

async function openPalette(): Promise<Page> {
  const page = await playground.goto("#/webmcp")
  await eventually(() => listOf(page).getByRole("listitem").count()).toBe(TOOLS.length)
  return page
}

test("The browser's agent finds the tools of a page that no server knows", async () => {
  const page = await openPalette()
  expect(await namesOf(page)).toEqual(TOOLS)
  expect(await page.getByTestId("model-context").innerText()).toBe("there")
  expect(await page.getByTestId("tools-declared").innerText()).toBe("3")
  const requests = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname))
  expect(requests.length).toBeGreaterThan(20)
  expect(requests.filter((path) => path.startsWith("/v1/") || path.startsWith("/playground/"))).toEqual([])
})

test("A call of the browser's agent changes the page, and the next one finds what it made", async () => {
  const page = await openPalette()
  expect(await execute(page, "mix_color", { name: "plum", hex: "#6b3a6e" })).toEqual({ content: [{ type: "text", text: "plum is #6b3a6e." }] })
  // No waiting: rendered, and registered anew, before the answer.
  expect(await page.getByLabel("Colour of plum").inputValue()).toBe("#6b3a6e")
  const remove = (await toolsOf(page)).find(({ name }) => name === "remove_color")
  expect(remove?.inputSchema.properties?.["name"]?.enum).toContain("plum")
  const row = page.getByRole("list", { name: "Calls, newest first" }).getByRole("listitem").first()
  expect(await row.getAttribute("data-phase")).toBe("answered")
})

test("What the browser does not check the page refuses, with the reason", async () => {
  const page = await openPalette()
  expect(await execute(page, "mix_color", { name: "plum", hex: "purple" })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("six hex digits after #") }],
  })
  expect(await page.getByRole("list", { name: "Colours" }).getByRole("listitem").count()).toBe(4)
})

test("The page's list follows the browser's, and calls by a form as its agent does", async () => {
  const page = await openPalette()
  const row = listOf(page).locator('[data-tool="remove_color"]')
  await row.locator("summary").click()
  expect(await row.innerText()).toContain("consequentialHint")
  for (const color of ["ink", "moss", "clay"]) {
    await row.getByLabel("Name").selectOption({ label: color })
    await row.getByRole("button", { name: "Call tool" }).click()
    await eventually(() => row.getByLabel("Answer").innerText()).toBe(`${color} is removed.`)
  }
  await picture(page, "webmcp")
  await page.getByRole("button", { name: "Remove sky" }).click()
  // Nothing is left to remove: the tool is not offered any more.
  await eventually(() => listOf(page).getByRole("listitem").count()).toBe(2)
  expect(await namesOf(page)).toEqual(["mix_color", "read_palette"])
})

test("A page that is left offers nothing to the browser's agent, and everything again when a person comes back", async () => {
  const page = await openPalette()
  await page.getByRole("link", { name: "Session" }).click()
  await playground.waitUntilLive(page)
  await eventually(() => namesOf(page)).toEqual([])
  await page.getByRole("link", { name: "WebMCP" }).click()
  await eventually(() => namesOf(page)).toEqual(TOOLS)
})

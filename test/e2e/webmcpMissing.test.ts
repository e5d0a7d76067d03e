import { expect, test } from "vitest"
import { picture, withPlayground } from "./support/withPlayground.ts"

const playground = withPlayground("--disable-features=WebMCP")

test("In a browser without its own agent the page works, says so, and downloads nothing for it", async () => {
  const page = await playground.goto("#/webmcp")
  await page.getByText("This browser has no document.modelContext").waitFor()
  expect(await page.getByTestId("model-context").innerText()).toBe("missing")
  await page.getByRole("button", { name: "Remove ink" }).click()
  expect(await page.getByRole("list", { name: "Colours" }).getByRole("listitem").count()).toBe(3)
  const loaded = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name))
  expect(loaded.filter((url) => url.includes("/src/webmcp/mirror.ts"))).toHaveLength(1)
  expect(loaded.filter((url) => url.includes("registrar"))).toEqual([])
  await picture(page, "webmcp-missing")
})

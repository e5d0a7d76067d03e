import { expect, test } from "vitest"
import { createSessionServer } from "../../src/server/index.ts"

const SECRET = "a secret of at least thirty-two bytes"

test.each(["https://app.example/", "app.example", "https://app.example/path", "localhost:5173", ""])(
  "An origin that no browser sends, such as %j, is refused when the server is made.",
  (origin) => {
    expect(() => createSessionServer({ secret: SECRET, allowedOrigins: [origin] })).toThrow("like https://app.example")
  },
)

test("The log names an origin that was refused, once.", async () => {
  const warnings: string[] = []
  const logger = { warn: (message: string) => void warnings.push(message), error: () => {} }
  const server = createSessionServer({ secret: SECRET, logger })
  const ask = () => server.fetch(new Request("https://server.example/v1/sessions", { headers: { origin: "https://page.example" } }))
  expect((await ask()).status).toBe(403)
  await ask()
  expect(warnings).toEqual([expect.stringContaining('"https://page.example"')])
  await server.close()
})

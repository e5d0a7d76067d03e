// Two copies of the package on one page do not see each other's context.
import { renderToString } from "react-dom/server"
import { createTestSession, type TestSession } from "react-tool-client/testing"
import { beforeEach, expect, it, vi } from "vitest"
import { consoleSaid } from "./support/console.ts"
import { mount } from "./support/mount.tsx"

const first = await import("react-tool-client")
vi.resetModules()
const second = await import("react-tool-client")

let session: TestSession
beforeEach(() => {
  session = createTestSession()
})

function FirstPage() {
  return first.useSession("test")?.state.status
}

function SecondPage() {
  return second.useSession("test")?.state.status
}

it("the first copy's provider warns of nothing, the second's does", async () => {
  expect(first.SessionProvider).not.toBe(second.SessionProvider)
  await mount(
    <first.SessionProvider client={session.client}>
      <FirstPage />
    </first.SessionProvider>,
  )
  expect(consoleSaid()).toEqual([])
  await mount(<second.SessionProvider client={session.client} />)
  expect(consoleSaid()).toEqual([expect.stringContaining("two copies of react-tool-client")])
})

it("a hook that misses the other copy's provider says that there are two", () => {
  const page = (
    <first.SessionProvider client={session.client}>
      <SecondPage />
    </first.SessionProvider>
  )
  expect(() => renderToString(page)).toThrow(/useSession needs a <SessionProvider.*two copies of react-tool-client/)
})

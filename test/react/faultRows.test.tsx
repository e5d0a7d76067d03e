// Row 22 of the fault matrix, all of it on one page: what React does to components must not reach the server.
import { Suspense } from "react"
import { createTestSession, type TestSession } from "react-tool-client/testing"
import { expect, it, vi } from "vitest"
import { load, save } from "./support/fastRefresh.ts"
import { Offer, Web } from "./support/components.tsx"
import { deferred } from "./support/deferred.ts"
import { mount } from "./support/mount.tsx"
import { publishedNames, sent } from "./support/requests.ts"
import { Waits } from "./support/Waits.tsx"

interface Props {
  readonly session: TestSession
  readonly round?: number
  readonly until?: Promise<void>
}

/** Its versions differ in what the tool says: a module that is saved again. */
const pageOf = (version: string) =>
  function Page({ session, round = 0, until }: Props) {
    return (
      <Web session={session}>
        <Offer key={Math.min(round, 100)} name="keyed" />
        <Suspense fallback="waiting">
          <Offer name="newest" says={`${version}, render ${round}`} />
          <Waits until={until} />
        </Suspense>
      </Web>
    )
  }

it("Row 22. StrictMode double mount, HMR, Suspense hide/show, fast key change, 1,000 re-renders: 1 registration, 0 requests on re-render, handler swapped to newest closure.", async () => {
  const session = createTestSession()
  const [Before, After] = [pageOf("before"), pageOf("after")]
  load("Page", Before)
  const page = await mount(<Before session={session} />, { strict: true })
  await session.settle()
  const before = session.requests().length

  for (let round = 1; round <= 1_000; round++) await page.render(<Before session={session} round={round} />)
  await session.settle()
  expect(session.requests().length).toBe(before)
  expect((await session.callTool("newest")).text).toBe("before, render 1000")

  const shown = deferred()
  await page.render(<Before session={session} round={1_000} until={shown.promise} />)
  await session.settle()
  expect(page.container.textContent).toBe("waiting")
  expect((await session.callTool("newest")).text).toBe("before, render 1000")
  shown.resolve()
  await page.render(<Before session={session} round={1_001} />)

  await save("Page", Before, After)
  await vi.waitFor(async () => expect((await session.callTool("newest")).text).toBe("after, render 1001"))
  await session.settle()
  expect(publishedNames(session)).toEqual(["keyed", "newest"])
  expect(sent(session)).toBe("P")
}, 30_000)

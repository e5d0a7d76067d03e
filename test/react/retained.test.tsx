import { cleanup, render } from "@testing-library/react"
import { afterEach, describe, expect, it } from "vitest"
import { SessionProvider, useSession, useTool, useToolClient } from "../../src/index.ts"
import { createTestSession, type TestSession } from "../../src/testing/index.ts"
import { collectGarbage } from "../faults/collectGarbage.ts"

const MOUNTS = 1_000
/** A thousand renders on a machine that has other things to do. */
const PATIENCE_MS = 60_000
/** React itself keeps the fibers of what it last rendered. */
const KEPT_BY_REACT = 5

afterEach(cleanup)

function Page({ name, execute }: { readonly name: string; readonly execute: () => string }) {
  const page = useToolClient(useSession("any"), "web")
  useTool(page, name, { description: "A tool.", parameters: { type: "object" }, execute })
  return null
}

/** In a function of its own, so that nothing of it is still on the stack afterwards. */
async function mountAndUnmount(session: TestSession, times: number, isCalled: boolean): Promise<WeakRef<object>[]> {
  const held: WeakRef<object>[] = []
  for (let round = 0; round < times; round++) {
    const state = { rows: new Array<number>(100).fill(round) }
    held.push(new WeakRef(state))
    const { unmount } = render(
      <SessionProvider client={session.client}>
        <Page name={`tool_${round % 7}`} execute={() => `${state.rows.length} rows`} />
      </SessionProvider>,
    )
    if (isCalled && round % 100 === 0) {
      await session.settle()
      await session.callTool(`tool_${round % 7}`)
    }
    unmount()
  }
  await session.settle()
  return held
}

const alive = (held: readonly WeakRef<object>[]): number => held.filter((ref) => ref.deref() !== undefined).length

describe("a thousand mounts and unmounts", () => {
  it.each([
    ["of tools that were never called", false],
    ["of tools, some of which were called", true],
  ])("%s leave no handler behind, nor what it closed over", async (_, isCalled) => {
    const session = createTestSession()
    const held = await mountAndUnmount(session, MOUNTS, isCalled)
    cleanup()
    // A WeakRef that was read in this job is kept until its end.
    await new Promise((resolve) => setTimeout(resolve))
    collectGarbage()
    expect(alive(held)).toBeLessThanOrEqual(KEPT_BY_REACT)
    expect(session.published()).toEqual([])
  }, PATIENCE_MS)
})

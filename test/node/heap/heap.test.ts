import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"

const MOUNTS = 1_000
/** Enough to see what each of them leaves behind. */
const FEW_MOUNTS = 200
/** Thousands of renders and two looks at the whole heap, on a machine that has other things to do. */
const PATIENCE_MS = 120_000

/** In a process of its own: here the heap is full of other tests. */
async function kindsThatGrow(mounts: number, ...more: string[]): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", join(import.meta.dirname, "mounts.tsx"), String(mounts), ...more], {
    // React's development build keeps things of its own for its tools.
    env: { ...process.env, NODE_ENV: "production" },
  })
  const { kinds, grown } = JSON.parse(stdout) as { readonly kinds: number; readonly grown: readonly string[] }
  expect(kinds).toBeGreaterThan(1_000)
  return grown
}

describe("the heap after a thousand mounts and unmounts of a page with a tool", () => {
  it("holds not one thing more for each, of any kind, than after a thousand before", async () => {
    expect(await kindsThatGrow(MOUNTS)).toEqual([])
  }, PATIENCE_MS)

  it("would show what is left behind", async () => {
    expect(await kindsThatGrow(FEW_MOUNTS, "leak")).toContainEqual(expect.stringMatching(/^closure /))
  }, PATIENCE_MS)
})

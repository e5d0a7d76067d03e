// Whatever sequence of commits adds, changes, re-orders, renames, removes and duplicates tools, in one tree or several.
import fc from "fast-check"
import type { ReactNode } from "react"
import { useTools } from "react-tool-client"
import { createTestSession, type TestSession } from "react-tool-client/testing"
import { describe, expect, it } from "vitest"
import { Offer, useWeb, Web } from "./support/components.tsx"
import { consoleSaid } from "./support/console.ts"
import { mount, MODES } from "./support/mount.tsx"
import { publishedNames, toldSets } from "./support/requests.ts"

const NAMES = ["a", "b", "c", "d", "e"] as const

/** One mounted `useTool`; its key lets it live on while its name, its definition or its place changes. */
interface Wish {
  readonly key: number
  readonly name: string
  readonly version: number
  readonly isInSecond: boolean
}

interface Commit {
  readonly wishes: readonly Wish[]
  /** What one `useTools` offers beside them. */
  readonly many: readonly string[]
  readonly manyVersion: number
  /** Whether the second owner of the same client is mounted. */
  readonly hasSecond: boolean
}

const name = fc.constantFrom(...NAMES)
const wish: fc.Arbitrary<Wish> = fc.record({
  key: fc.integer({ min: 0, max: 5 }),
  name,
  version: fc.integer({ min: 0, max: 2 }),
  isInSecond: fc.boolean(),
})
const commit: fc.Arbitrary<Commit> = fc.record({
  wishes: fc.uniqueArray(wish, { maxLength: 6, selector: ({ key }) => key }),
  many: fc.array(name, { maxLength: 3 }),
  manyVersion: fc.integer({ min: 0, max: 1 }),
  hasSecond: fc.boolean(),
})

/** Repeats of a commit are where needless requests would show. */
const commits = fc.array(fc.tuple(commit, fc.integer({ min: 1, max: 2 })), { minLength: 1, maxLength: 8 })
  .map((steps) => steps.flatMap(([one, times]) => Array<Commit>(times).fill(one)))

function Many({ names, version, count }: { readonly names: readonly string[]; readonly version: number; readonly count: number }) {
  useTools(
    useWeb(),
    names.map((each) => ({ name: each, description: `Version ${version} of ${each}.`, parameters: {}, execute: () => `${count}` })),
  )
  return null
}

function tree(session: TestSession | null, { wishes, many, manyVersion, hasSecond }: Commit, count: number): ReactNode {
  const offer = ({ key, name: wished, version }: Wish) => (
    <Offer key={key} name={wished} description={`Version ${version} of ${wished}.`} says={`${count}`} />
  )
  return (
    <>
      <Web key="first" session={session}>
        {wishes.filter(({ isInSecond }) => !isInSecond).map(offer)}
        <Many key="many" names={many} version={manyVersion} count={count} />
      </Web>
      {hasSecond && (
        <Web key="second" session={session}>
          {wishes.filter(({ isInSecond }) => isInSecond).map(offer)}
        </Web>
      )}
    </>
  )
}

const mountedNames = ({ wishes, many, hasSecond }: Commit): readonly string[] =>
  [...new Set([...wishes.filter(({ isInSecond }) => hasSecond || !isInSecond).map((one) => one.name), ...many])].sort()

describe.each(MODES)("any sequence of commits$mode", ({ strict }) => {
  it("leaves the server with exactly the mounted tools, by at most one update each and none for an unchanged set", async () => {
    await fc.assert(
      fc.asyncProperty(commits, async (steps) => {
        const session = createTestSession()
        const page = await mount(null, { strict })
        for (const [index, step] of steps.entries()) {
          const before = session.requests().length
          const known = JSON.stringify(session.published())
          const kept = publishedNames(session).filter((one) => mountedNames(step).includes(one))
          await page.render(tree(session, step, index))
          await session.settle()
          expect(publishedNames(session)).toEqual(mountedNames(step))
          const requests = session.requests().slice(before)
          expect(requests.map(({ type }) => type)).toEqual(
            index === 0 ? ["register"] : JSON.stringify(session.published()) === known ? [] : ["update"],
          )
          for (const told of toldSets(session).slice(-requests.length || Infinity)) {
            expect(told).toEqual(expect.arrayContaining(kept))
          }
          for (const one of publishedNames(session)) expect((await session.callTool(one)).text).toBe(`${index}`)
        }
        page.unmount()
        await session.settle()
        expect(session.requests().at(-1)?.type).toBe("delete")
        expect(session.published()).toEqual([])
        expect(session.clock.pending).toBe(0)
        // Duplicates are drawn on purpose.
        for (const said of consoleSaid()) expect(said).toMatch(/two components offer the tool|two tools of one useTools list/)
      }),
      { numRuns: 60 },
    )
  }, 60_000)

  it("ends right however fast they come, whatever requests fail, and to whichever session they move", async () => {
    const request = fc.constantFrom("register" as const, "update" as const, "delete" as const)
    const failure = fc.constantFrom(429 as const, 503 as const, "network" as const)
    const step = fc.record({
      commit,
      where: fc.constantFrom("first", "second", "none"),
      fault: fc.option(fc.record({ request, failure }), { freq: 3 }),
      isForgotten: fc.boolean(),
      isQuick: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const sessions = { first: createTestSession({ onError: () => {} }), second: createTestSession({ onError: () => {} }) }
        const page = await mount(null, { strict })
        for (const [index, { commit: next, where, fault, isForgotten, isQuick }] of steps.entries()) {
          const session = where === "none" ? null : sessions[where]
          if (fault) session?.failNext(fault.request, fault.failure)
          if (isForgotten) session?.forgetAll()
          await page.render(tree(session, next, index))
          if (!isQuick) await session?.settle()
        }
        const last = steps.at(-1)
        for (const [where, session] of Object.entries(sessions)) {
          for (let count = 0; count < 5; count++) await session.clock.advance(30_000)
          expect(publishedNames(session)).toEqual(where === last?.where ? mountedNames(last.commit) : [])
        }
        page.unmount()
        for (const session of Object.values(sessions)) {
          for (let count = 0; count < 5; count++) await session.clock.advance(30_000)
          expect(session.published()).toEqual([])
          expect(session.clock.pending).toBe(0)
        }
        consoleSaid()
      }),
      { numRuns: 60 },
    )
  }, 60_000)
})

import { QueryClient } from "@tanstack/react-query"
import { expect, it } from "vitest"
import { turn } from "../lib/turn.ts"
import { pushedQueryFn } from "./pushedQuery.ts"

function setUp() {
  let value = 0
  const listeners = new Set<() => void>()
  const queryFn = pushedQueryFn({
    read: () => value,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  })
  const queryClient = new QueryClient()
  const options = { queryKey: ["value"], queryFn }
  return {
    listeners,
    queryClient,
    options,
    data: () => queryClient.getQueryData(["value"]),
    change(next: number) {
      value = next
      for (const listener of [...listeners]) listener()
    },
  }
}

it("holds what was pushed while the query function's own value was on its way", async () => {
  const { queryClient, options, change, data } = setUp()
  const fetched = queryClient.fetchQuery(options)
  while (queryClient.getQueryState(options.queryKey)?.fetchStatus !== "fetching") await Promise.resolve()
  change(1)
  expect(await fetched).toBe(0)
  await turn()
  expect(data()).toBe(1)
})

it("pushes once a tick", async () => {
  const { queryClient, options, change, data } = setUp()
  await queryClient.fetchQuery(options)
  await turn()
  let updates = 0
  queryClient.getQueryCache().subscribe(({ type }) => type === "updated" && updates++)
  for (const next of [1, 2, 3]) change(next)
  await turn()
  expect(data()).toBe(3)
  expect(updates).toBe(1)
})

it("listens once however often it is fetched, and no more once the cache is cleared, also to a change of that tick", async () => {
  const { queryClient, options, change, data, listeners } = setUp()
  await queryClient.fetchQuery(options)
  await queryClient.fetchQuery({ ...options, staleTime: 0 })
  expect(listeners.size).toBe(1)
  change(1)
  queryClient.clear()
  await turn()
  expect(listeners.size).toBe(0)
  expect(data()).toBeUndefined()
})

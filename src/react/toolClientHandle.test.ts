import { createTestSession, type TestSession } from "react-tool-client/testing"
import { beforeEach, expect, it, vi } from "vitest"
import { createToolSource } from "../toolClient/toolSource.ts"
import { createToolClientHandle } from "./toolClientHandle.ts"

let session: TestSession
beforeEach(() => {
  session = createTestSession()
})

const committed = (): Promise<void> => Promise.resolve()
const source = (text: string) => createToolSource(() => ({ description: text, parameters: {}, execute: () => text }))
const names = (): readonly string[] => session.published().map(({ name }) => name)

it("is joining until it is attached, and again when it is detached", async () => {
  const handle = createToolClientHandle("web", committed)
  const seen: string[] = []
  handle.client.subscribe(({ status }) => seen.push(status))
  const detach = handle.attach(session, "web")
  await session.settle()
  detach()
  await session.settle()
  // A detached one hears no more of the client that it shared.
  expect(seen).toEqual(["serving", "joining"])
})

it.each([
  ["declared, attached, withdrawn, detached", ["declare", "attach", "withdraw", "detach"]],
  ["declared, attached, detached, withdrawn", ["declare", "attach", "detach", "withdraw"]],
  ["attached, declared, detached, withdrawn", ["attach", "declare", "detach", "withdraw"]],
  ["declared, withdrawn, attached, detached", ["declare", "withdraw", "attach", "detach"]],
] as const)("offers a tool exactly while it is declared and attached: %s", async (_order, steps) => {
  const handle = createToolClientHandle("web", committed)
  let withdraw = (): void => {}
  let detach = (): void => {}
  let isDeclared = false
  let isAttached = false
  for (const step of steps) {
    if (step === "declare") withdraw = handle.client.declare(source("A."), "a")
    if (step === "withdraw") withdraw()
    if (step === "attach") detach = handle.attach(session, "web")
    if (step === "detach") detach()
    isDeclared = step === "declare" || (isDeclared && step !== "withdraw")
    isAttached = step === "attach" || (isAttached && step !== "detach")
    await session.settle()
    expect(names()).toEqual(isDeclared && isAttached ? ["a"] : [])
  }
})

it("has what addTool adds wait for the commit before it answers", async () => {
  const waits = vi.fn(committed)
  const handle = createToolClientHandle("web", waits)
  handle.attach(session, "web")
  handle.client.addTool("a", { description: "A.", parameters: {}, execute: () => "ran" })
  await session.settle()
  expect((await session.callTool("a")).text).toBe("ran")
  expect(waits).toHaveBeenCalledTimes(1)
})

it("has a ready that is the client's, whenever it is asked for", async () => {
  const handle = createToolClientHandle("web", committed)
  const before = handle.client.ready
  handle.attach(session, "web")
  const during = handle.client.ready
  await expect(before).resolves.toBeUndefined()
  await expect(during).resolves.toBeUndefined()
})

it("has a ready that rejects with the server's refusal, and with a name that cannot be", async () => {
  session.failNext("register", 403)
  const refused = createToolClientHandle("web", committed)
  const before = refused.client.ready
  refused.attach(session, "web")
  await expect(before).rejects.toMatchObject({ status: 403 })
  const onError = vi.fn()
  const impossible = createToolClientHandle("not__a_name", committed)
  impossible.commit("not__a_name", { onError })
  impossible.attach(session, "not__a_name")()
  await expect(impossible.client.ready).rejects.toMatchObject({ code: "invalid_name" })
  expect(onError).toHaveBeenCalledTimes(1)
})

it("is deleted by the session that it is attached to, and by no other", async () => {
  const handle = createToolClientHandle("web", committed)
  await expect(session.deleteToolClient(handle.client)).rejects.toThrow(/not one of this session's/)
  const detach = handle.attach(session, "web")
  await session.settle()
  await expect(createTestSession().deleteToolClient(handle.client)).rejects.toThrow(/not one of this session's/)
  await session.deleteToolClient(handle.client)
  expect(handle.client.state.status).toBe("left")
  expect(session.requests("delete").length).toBe(1)
  await expect(session.deleteToolClient(handle.client)).resolves.toBeUndefined()
  detach()
})

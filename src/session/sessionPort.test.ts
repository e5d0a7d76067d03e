import { describe, expect, it } from "vitest"
import { createDeferred } from "../lib/deferred.ts"
import { MAX_ACKS_PER_REQUEST } from "../wire/limits.ts"
import { createSessionPort } from "./sessionPort.ts"

/** A port whose requests wait for their answers. */
function createPort() {
  const sent: { readonly path: string; readonly ids: readonly string[]; readonly answer: ReturnType<typeof createDeferred<undefined>> }[] = []
  const port = createSessionPort(
    {
      send({ path, body }) {
        const answer = createDeferred<undefined>()
        sent.push({ path, ids: (body as { readonly call_ids: readonly string[] }).call_ids, answer })
        return answer.promise
      },
    },
    "/s",
  )
  const ack = (id: string, callId: string): Promise<void> => port.ack?.(id, callId) ?? Promise.reject(new Error("no acks"))
  return { sent, ack }
}

const microtask = (): Promise<void> => Promise.resolve()

describe("acks over HTTP", () => {
  it("of one tick are one request for each tool client, and those of the next another, which waits for none", async () => {
    const { sent, ack } = createPort()
    const acks = [ack("c1", "a"), ack("c2", "b"), ack("c1", "c")]
    await microtask()
    acks.push(ack("c1", "d"))
    await microtask()
    expect(sent.map(({ path, ids }) => [path, ids])).toEqual([
      ["/s/tool-clients/c1/acks", ["a", "c"]],
      ["/s/tool-clients/c2/acks", ["b"]],
      ["/s/tool-clients/c1/acks", ["d"]],
    ])
    for (const { answer } of sent) answer.resolve(undefined)
    await Promise.all(acks)
  })

  it("that fail fail together, with the one error of their request", async () => {
    const { sent, ack } = createPort()
    const acks = [ack("c1", "a"), ack("c1", "b")]
    await microtask()
    const error = new Error("lost")
    sent[0]?.answer.reject(error)
    expect(await Promise.allSettled(acks)).toEqual([
      { status: "rejected", reason: error },
      { status: "rejected", reason: error },
    ])
  })

  it("that are more than one request may name are as many requests as it takes", async () => {
    const { sent, ack } = createPort()
    for (let count = 0; count < MAX_ACKS_PER_REQUEST + 1; count++) void ack("c1", `k${count}`)
    await microtask()
    expect(sent.map(({ ids }) => ids.length)).toEqual([MAX_ACKS_PER_REQUEST, 1])
    expect(sent[1]?.ids).toEqual([`k${MAX_ACKS_PER_REQUEST}`])
  })
})

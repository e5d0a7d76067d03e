import { describe, expect, it } from "vitest"
import { createDeferred, type Deferred } from "../lib/deferred.ts"
import { createCallQueue } from "./callQueue.ts"

function setUp() {
  const queue = createCallQueue()
  const begun: string[] = []
  const aborted: string[] = []
  const ends = new Map<string, Deferred<string>>()
  return {
    begun,
    aborted,
    run(id: string, concurrency: "parallel" | "serial" | "latest" | undefined, name = "tool") {
      const end = createDeferred<string>()
      ends.set(id, end)
      const result = queue.run(name, concurrency, { abort: () => void aborted.push(id) }, () => {
        begun.push(id)
        return end.promise
      })
      result.catch(() => {})
      return result
    },
    end: async (id: string, error?: Error) => {
      if (error) ends.get(id)!.reject(error)
      else ends.get(id)!.resolve(id)
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

describe("calls of one tool that overlap", () => {
  it.each([undefined, "parallel"] as const)("run all at once by default (%s)", (concurrency) => {
    const { run, begun } = setUp()
    for (const id of ["a", "b", "c"]) void run(id, concurrency)
    expect(begun).toEqual(["a", "b", "c"])
  })

  it("run one after the other when they are serial, in the order they came, also after one that failed", async () => {
    const { run, begun, end } = setUp()
    const a = run("a", "serial")
    const b = run("b", "serial")
    const c = run("c", "serial")
    expect(begun).toEqual(["a"])
    await end("a", new Error("mine"))
    await expect(a).rejects.toThrow("mine")
    expect(begun).toEqual(["a", "b"])
    await end("b")
    expect(await b).toBe("b")
    expect(begun).toEqual(["a", "b", "c"])
    await end("c")
    expect(await c).toBe("c")
    void run("d", "serial")
    expect(begun).toEqual(["a", "b", "c", "d"])
  })

  it("abort those before them when only the latest counts, and run at once", async () => {
    const { run, begun, aborted, end } = setUp()
    void run("a", "latest")
    void run("b", "latest")
    expect(begun).toEqual(["a", "b"])
    expect(aborted).toEqual(["a"])
    await end("a")
    void run("c", "latest")
    expect(aborted).toEqual(["a", "b"])
  })

  it("leave those of other tools alone", () => {
    const { run, begun, aborted } = setUp()
    void run("a", "serial", "one")
    void run("b", "serial", "two")
    void run("c", "latest", "__proto__")
    void run("d", "latest", "constructor")
    expect(begun).toEqual(["a", "b", "c", "d"])
    expect(aborted).toEqual([])
  })

  it("wait for a parallel one that came before when the tool has become serial meanwhile", async () => {
    const { run, begun, end } = setUp()
    void run("a", "parallel")
    void run("b", "serial")
    expect(begun).toEqual(["a"])
    await end("a")
    expect(begun).toEqual(["a", "b"])
  })
})

import { describe, expect, it } from "vitest"
import { errorText } from "./errorText.ts"

describe("what was thrown, as text", () => {
  it("is what String says", () => {
    expect(errorText(new TypeError("no"))).toBe("TypeError: no")
    expect(errorText(undefined)).toBe("undefined")
    expect(errorText(Symbol("odd"))).toBe("Symbol(odd)")
  })

  it.each([
    ["has no toString", Object.create(null)],
    ["has one that throws", { toString: () => { throw new Error("mine") } }],
    ["is a revoked proxy", (() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy })()],
  ])("is a text too where the value %s", (_case, thrown: unknown) => {
    expect(errorText(thrown)).toBe("no text")
  })
})

import { describe, expect, it, vi } from "vitest"
import { rememberTokens, TOKENS_KEPT } from "./rememberedTokens.ts"
import { createSessionTokens, type TokenClaims } from "./tokens.ts"

const SECRET = "a secret of at least thirty-two bytes"
const claims = (sessionId: string): TokenClaims => ({ sessionId, tokenId: "t", issuedAt: 0, expiresAt: 60_000 })

function setUp() {
  let time = 0
  const real = createSessionTokens({ secrets: [SECRET], now: () => time })
  const verify = vi.spyOn(real, "verify")
  return { tokens: rememberTokens(real, () => time), verify, passTo: (ms: number) => (time = ms) }
}

describe("remembered tokens", () => {
  it("are verified once, however often they come", async () => {
    const { tokens, verify } = setUp()
    const token = await tokens.sign(claims("s1"))
    const [first, second] = [await tokens.verify(token), await tokens.verify(token)]
    expect(second).toEqual(first)
    expect(first).toMatchObject({ sessionId: "s1", tokenId: "t" })
    expect(verify).toHaveBeenCalledTimes(1)
  })

  it("expire all the same", async () => {
    const { tokens, passTo } = setUp()
    const token = await tokens.sign(claims("s1"))
    await tokens.verify(token)
    passTo(60_000)
    await expect(tokens.verify(token)).rejects.toMatchObject({ status: 401, code: "token_expired" })
    await expect(tokens.verify(token)).rejects.toMatchObject({ status: 401, code: "token_expired" })
  })

  it("are none that were refused", async () => {
    const { tokens, verify } = setUp()
    const token = await tokens.sign(claims("s1"))
    const forged = `${token.slice(0, -4)}AAAA`
    for (let time = 0; time < 2; time++) await expect(tokens.verify(forged)).rejects.toMatchObject({ status: 401, code: "invalid_token" })
    expect(verify).toHaveBeenCalledTimes(2)
  })

  it("are bounded, and those in use stay", async () => {
    const verify = vi.fn((token: string) => Promise.resolve(claims(token)))
    const tokens = rememberTokens({ sign: () => Promise.resolve(""), verify }, () => 0)
    await tokens.verify("in use")
    for (let index = 0; index < TOKENS_KEPT; index++) {
      await tokens.verify(`token ${index}`)
      await tokens.verify("in use")
    }
    verify.mockClear()
    await tokens.verify("in use")
    expect(verify).not.toHaveBeenCalled()
    await tokens.verify("token 0")
    expect(verify).toHaveBeenCalledTimes(1)
  })
})

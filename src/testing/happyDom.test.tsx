// @vitest-environment happy-dom
import { expect, it } from "vitest"
import { describeTestKit } from "../../test/react/support/describeTestKit.tsx"

it("runs in happy-dom", () => {
  expect("happyDOM" in window).toBe(true)
})

describeTestKit("happy-dom")

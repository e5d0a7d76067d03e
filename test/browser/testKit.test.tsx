import { describeTestKit } from "../react/support/describeTestKit.tsx"

describeTestKit("a real browser")

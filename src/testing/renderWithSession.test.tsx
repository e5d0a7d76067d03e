import { describeTestKit } from "../../test/react/support/describeTestKit.tsx"

describeTestKit("jsdom")

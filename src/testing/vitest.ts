/** `import "react-tool-client/testing/vitest"` in a test, or in Vitest's `setupFiles`: matchers for `expect(session)`, with their types. */
import { expect } from "vitest"
import { toolMatchers, type ToolMatchers } from "./toolMatchers.ts"

declare module "vitest" {
  // As Vitest declares it, or the two would not merge.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any, @typescript-eslint/no-empty-object-type, @typescript-eslint/no-unused-vars
  interface Matchers<T = any> extends ToolMatchers<void> {}
}

expect.extend(toolMatchers)

export type { ToolMatchers }

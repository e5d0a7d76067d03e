/** `react-tool-client/testing`: a session without a server, for the tests of those who offer tools. */
export { createTestSession, type TestFaults, type TestSession, type TestSessionOptions } from "./createTestSession.ts"
export { createFakeClock, type FakeClock } from "./fakeClock.ts"
export type { TestFailure } from "./memoryFaults.ts"
export type { TestRequest } from "./testRequest.ts"
export type { AnsweredCall, CallOptions, TestAnswer } from "./testCalls.ts"
export {
  type ExpectedAnswer,
  type ExpectedRequests,
  type ExpectedTool,
  type MatcherContext,
  type MatcherResult,
  toolMatchers,
  type ToolMatchers,
} from "./toolMatchers.ts"

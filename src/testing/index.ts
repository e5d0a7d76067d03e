export {
  type CallOptions,
  createTestSession,
  type TestAnswer,
  type TestSession,
  type TestSessionOptions,
} from "./createTestSession.ts"
export { createFakeClock, type FakeClock } from "./fakeClock.ts"
export type { TestRequest } from "./memoryPort.ts"

export { createFakeClock, type FakeClock } from "./fakeClock.ts"

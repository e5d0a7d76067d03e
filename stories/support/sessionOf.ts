import { createTestSession, type TestSession, type TestSessionOptions } from "react-tool-client/testing"

/** For a story's `loaders`: a session of its own, before it is rendered. What its faults cause is not told on the console. */
export const withSession =
  (options: TestSessionOptions = {}) =>
  (): { readonly session: TestSession } => ({ session: createTestSession({ id: "demo", onError: () => {}, ...options }) })

/** The session that a story's loader has made. */
export const sessionOf = ({ loaded }: { readonly loaded: Readonly<Record<string, unknown>> }): TestSession => loaded.session as TestSession

import type { ToolAnswer, ToolSpec } from "../tool/toolSpec.ts"
import type { TestSession } from "./createTestSession.ts"
import type { TestRequest } from "./testRequest.ts"

/** What a test framework gives its matchers; Vitest and Jest do. */
export interface MatcherContext {
  readonly isNot?: boolean | undefined
  equals(received: unknown, expected: unknown): boolean
  readonly utils: { stringify?(value: unknown): string }
}

export interface MatcherResult {
  readonly pass: boolean
  message(): string
}

/** Of a published tool what the test looks at; a value may be an asymmetric matcher such as `expect.stringContaining("milk")`. */
export type ExpectedTool = { readonly [Key in keyof ToolSpec]?: unknown }

/** The text that the model read, a pattern that it fits, or what of the answer the test looks at. */
export type ExpectedAnswer = string | RegExp | { readonly [Key in keyof ToolAnswer]?: unknown }

/** How many requests of a type were sent. */
export type ExpectedRequests = { readonly [Type in TestRequest["type"]]?: number }

type Kit = Pick<TestSession, "published" | "answers" | "requests">

function kitOf(received: unknown, matcher: string): Kit {
  const kit = (received ?? {}) as Partial<Kit>
  if (typeof kit.published === "function" && typeof kit.answers === "function" && typeof kit.requests === "function") return kit as Kit
  throw new TypeError(`expect(...).${matcher} is for a session that createTestSession of react-tool-client/testing made.`)
}

const show = ({ utils }: MatcherContext, value: unknown): string => utils.stringify?.(value) ?? String(JSON.stringify(value))

const listed = (parts: readonly string[]): string => (parts.length === 0 ? "nothing" : parts.join(", "))

/** Whether all that is expected is there; what is not mentioned does not count. */
const holds = ({ equals }: MatcherContext, received: object, expected: object): boolean =>
  Object.entries(expected).every(([key, value]) => equals((received as Record<string, unknown>)[key], value))

function isAnswer(context: MatcherContext, received: ToolAnswer, expected: ExpectedAnswer): boolean {
  if (typeof expected === "string") return received.text === expected
  return expected instanceof RegExp ? expected.test(received.text) : holds(context, received, expected)
}

function toHavePublished(this: MatcherContext, received: unknown, tool: string, expected: ExpectedTool = {}): MatcherResult {
  const published = kitOf(received, "toHavePublished").published()
  const specs = published.filter(({ name }) => name === tool)
  const not = this.isNot ? " not" : ""
  return {
    pass: specs.some((spec) => holds(this, spec, expected)),
    message: () => {
      const wanted = Object.keys(expected).length > 0 ? ` with ${show(this, expected)}` : ""
      const found = specs.length > 0 && wanted ? `It was published as ${specs.map((spec) => show(this, spec)).join(", ")}.` : `Published: ${listed(published.map(({ name }) => name))}.`
      return `Expected the tool "${tool}"${not} to have been published${wanted}. ${found}`
    },
  }
}

function toHaveAnswered(this: MatcherContext, received: unknown, tool: string, expected?: ExpectedAnswer): MatcherResult {
  const answers = kitOf(received, "toHaveAnswered").answers(tool)
  const not = this.isNot ? " not" : ""
  return {
    pass: answers.some((answer) => expected === undefined || isAnswer(this, answer, expected)),
    message: () =>
      `Expected the tool "${tool}"${not} to have answered${expected === undefined ? "" : ` ${show(this, expected)}`}. ` +
      `It answered: ${listed(answers.map(({ text, is_error: isError }) => `${show(this, text)}${isError ? " (an error)" : ""}`))}.`,
  }
}

function toHaveSent(this: MatcherContext, received: unknown, expected: ExpectedRequests): MatcherResult {
  const requests = kitOf(received, "toHaveSent").requests()
  const types = Object.keys(expected) as (keyof ExpectedRequests)[]
  const sent = Object.fromEntries(types.map((type) => [type, requests.filter((request) => request.type === type).length]))
  const not = this.isNot ? " not" : ""
  return {
    pass: holds(this, sent, expected),
    message: () => `Expected the page${not} to have sent ${show(this, expected)}. It sent ${show(this, sent)}, in all: ${listed(requests.map(({ type }) => type))}.`,
  }
}

/**
 * Matchers for any framework whose `expect.extend` takes Jest's: `expect.extend(toolMatchers)`. With Vitest
 * `import "react-tool-client/testing/vitest"` does so, with their types.
 */
export const toolMatchers = { toHavePublished, toHaveAnswered, toHaveSent }

/** What `expect(session)` can be asked. */
export interface ToolMatchers<Result = unknown> {
  /**
   * That the server knows a tool of this name right now.
   *
   * @param expected - What of its definition must be so. `@default` anything
   */
  toHavePublished(tool: string, expected?: ExpectedTool): Result
  /**
   * That a call of this tool, made by `session.callTool`, was answered.
   *
   * @param expected - What one of its answers must be. `@default` anything
   */
  toHaveAnswered(tool: string, expected?: ExpectedAnswer): Result
  /** How many requests of each type the page has sent; types that are not mentioned do not count. */
  toHaveSent(expected: ExpectedRequests): Result
}

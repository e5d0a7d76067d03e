import type { TestSession } from "react-tool-client/testing"

const LETTERS = { register: "P", update: "U", delete: "D" } as const
type Counted = keyof typeof LETTERS

const isCounted = (type: string): type is Counted => type in LETTERS

/** What was sent to keep the server at what is declared, in order: `P` register, `U` update, `D` delete. */
export const sent = (session: TestSession): string =>
  session
    .requests()
    .flatMap(({ type }) => (isCounted(type) ? [LETTERS[type]] : []))
    .join(" ")

/** Each set of names that the server was told, in order. */
export const toldSets = (session: TestSession): readonly (readonly string[])[] =>
  session.requests().flatMap((request) => (request.type === "register" || request.type === "update" ? [[...request.tools].sort()] : []))

/** The names that the server knows now. */
export const publishedNames = (session: TestSession, client?: string): readonly string[] =>
  session.published(client).map((tool) => tool.name).sort()

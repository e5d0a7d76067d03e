/**
 * What a tool looks like from outside, as data: the JSON that describes it to a model and the answer that a call
 * comes back with. No behaviour. The session protocol carries these shapes as they are.
 */

/** A value that JSON can say. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue }

/** A JSON Schema as an object; the root of a tool's parameters always has `type: "object"`. */
export type JsonSchema = { readonly [key: string]: unknown }

/** What an agent may know of a tool beside its parameters. Hints only: never a permission. */
export interface ToolAnnotations {
  /** The tool changes nothing. */
  readonly readOnlyHint?: boolean | undefined
  /** The tool may destroy something that a person would miss. */
  readonly destructiveHint?: boolean | undefined
  /** Calling it again with the same arguments changes nothing more. */
  readonly idempotentHint?: boolean | undefined
  /** The tool reaches beyond the page: mail, payment, another service. */
  readonly openWorldHint?: boolean | undefined
  /** The answer may hold text that others wrote, which a model must not obey. */
  readonly untrustedContentHint?: boolean | undefined
}

/** One tool as it is published: what the model is told. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchema
  readonly title?: string | undefined
  readonly annotations?: ToolAnnotations | undefined
  /** JSON Schema of the value that a successful answer's text holds, when the tool promises one. */
  readonly output?: JsonSchema | undefined
}

/** What a call comes back with. `is_error` keeps the wire's spelling in code too. */
export interface ToolAnswer {
  readonly text: string
  readonly is_error: boolean
}

/**
 * What model providers accept of a tool, as they publish it. A request with one tool beyond these rules is refused as a whole, with all
 * its other tools.
 */

/** `openai` is the Responses API, `openai-chat` the Chat Completions API: the same rules, another shape. */
export type ModelProvider = "openai" | "openai-chat" | "anthropic" | "gemini"

/** How deep, how many and how long the parts of a tool's schema may be. */
export interface SchemaLimits {
  /** Of all objects together. */
  readonly properties: number
  /** Objects and arrays within each other, the root not counted. */
  readonly levels: number
  /** Characters of all names of properties and definitions, and of all values of `enum` and `const`. */
  readonly characters: number
  /** Values of all `enum`s together. */
  readonly enumValues: number
  /** More values than this in one `enum` of strings, and their characters are limited too. */
  readonly largeEnumValues: number
  readonly largeEnumCharacters: number
}

/** The subset of JSON Schema that one mode of one provider accepts below a tool's root. */
export interface Dialect {
  /** Keywords that may stand in a schema; all others are dropped. */
  readonly keywords: ReadonlySet<string>
  /** Values of `format`. @default any */
  readonly formats?: ReadonlySet<string>
  /** Types of values in `enum`, by `typeof`; `null` is "null". */
  readonly enumTypes: ReadonlySet<string>
  /** Every object says `additionalProperties: false`, and every schema has a type or `anyOf`: what cannot be said so is not strict. */
  readonly isStrict: boolean
  /** Every property of an object is in `required`: an optional one may be `null` instead. */
  readonly needsAll: boolean
  /** Where a schema may contain itself: anywhere, only below a property that is not required, or nowhere. */
  readonly recursion: "anywhere" | "optional" | "nowhere"
  /** `minItems` is 0 or 1 at most. */
  readonly minItemsAtMostOne?: boolean
  readonly limits?: SchemaLimits
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

const STRINGS = "date-time time date duration email hostname ipv4 ipv6 uuid"
const SCALARS = words("string number boolean null")

/**
 * OpenAI, `strict: true`. Source: "Structured model outputs", section "Supported schemas"
 * (https://platform.openai.com/docs/guides/structured-outputs#supported-schemas), which also names the limits. `minLength` and
 * `maxLength` are listed neither as supported nor, but for fine-tuned models, as not; they are left to the page.
 */
const OPENAI_STRICT: Dialect = {
  keywords: words("type properties required additionalProperties items enum const anyOf $ref $defs title description pattern format multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems"),
  formats: words(STRINGS),
  enumTypes: SCALARS,
  isStrict: true,
  needsAll: true,
  recursion: "anywhere",
  limits: { properties: 5_000, levels: 10, characters: 120_000, enumValues: 1_000, largeEnumValues: 250, largeEnumCharacters: 15_000 },
}

/**
 * Anthropic, `strict: true`. Source: "Structured outputs", section "JSON Schema limitations"
 * (https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations).
 */
const ANTHROPIC_STRICT: Dialect = {
  keywords: words("type properties required additionalProperties items enum const anyOf $ref $defs title description format minItems"),
  formats: words(`${STRINGS} uri`),
  enumTypes: SCALARS,
  isStrict: true,
  needsAll: false,
  recursion: "nowhere",
  minItemsAtMostOne: true,
}

/**
 * Gemini, `parametersJsonSchema`. Source: the list of properties of `GenerationConfig.responseJsonSchema`, the one that is published of
 * JSON Schema (https://ai.google.dev/api/generate-content#v1beta.GenerationConfig).
 */
const GEMINI: Dialect = {
  keywords: words("$ref $defs type format title description enum items prefixItems minItems maxItems minimum maximum anyOf properties additionalProperties required"),
  enumTypes: words("string number"),
  isStrict: false,
  needsAll: false,
  recursion: "optional",
}

export interface ProviderRules {
  /** Of a tool. */
  readonly name: RegExp
  /** Of a property, at any depth. @default any */
  readonly propertyName?: RegExp
  /** With `strict: true`; missing where there is no such mode. */
  readonly strict?: Dialect
  /** Without it; missing where any JSON Schema is taken whose root is a plain object. */
  readonly loose?: Dialect
  /** Whether it is strict where nobody says. Anthropic takes 20 strict tools a request at most, so there it has to be asked for. */
  readonly isStrictByDefault: boolean
}

/**
 * OpenAI: `^[a-zA-Z0-9_-]{1,64}$` ("Create a model response", `tools`). The root has no combinator, by its error
 * "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level".
 */
const OPENAI: ProviderRules = { name: /^[\w-]{1,64}$/, strict: OPENAI_STRICT, isStrictByDefault: true }

export const PROVIDER_RULES: Readonly<Record<ModelProvider, ProviderRules>> = {
  openai: OPENAI,
  "openai-chat": OPENAI,
  /**
   * Anthropic: "Define tools" (https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools) for the name; the root and the
   * names of properties by its errors "input_schema does not support oneOf, allOf, or anyOf at the top level" and "Property keys should
   * match pattern '^[a-zA-Z0-9_.-]{1,64}$'".
   */
  anthropic: { name: /^[\w-]{1,64}$/, propertyName: /^[\w.-]{1,64}$/, strict: ANTHROPIC_STRICT, isStrictByDefault: false },
  /** Gemini: `FunctionDeclaration.name` (https://ai.google.dev/api/caching#FunctionDeclaration), and on Vertex AI a letter or `_` first. */
  gemini: { name: /^[A-Za-z_][\w-]{0,63}$/, loose: GEMINI, isStrictByDefault: false },
}

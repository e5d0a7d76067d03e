// What the providers publish of the schemas that they accept, written out once more for the tests: source by source, and without a look at
// the code that keeps to it.

type Json = Readonly<Record<string, unknown>>

interface Rules {
  /** May stand at every schema. */
  readonly always: readonly string[]
  /** May stand at a schema of one type. */
  readonly byType: Readonly<Record<string, readonly string[]>>
  readonly formats?: readonly string[]
  /** Of values in `enum` and `const`. */
  readonly values: readonly string[]
  readonly isClosed: boolean
  readonly isAllRequired: boolean
  readonly isRecursive: boolean
  readonly minItems?: readonly number[]
}

const TYPES = ["string", "number", "boolean", "integer", "object", "array", "null"]
const FORMATS = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]

/** https://platform.openai.com/docs/guides/structured-outputs#supported-schemas */
const OPENAI: Rules = {
  always: ["type", "enum", "const", "anyOf", "title", "description", "$defs"],
  byType: {
    string: ["pattern", "format"],
    number: ["multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"],
    integer: ["multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"],
    array: ["items", "minItems", "maxItems"],
    object: ["properties", "required", "additionalProperties"],
  },
  formats: FORMATS,
  values: ["string", "number", "boolean", "null"],
  isClosed: true,
  isAllRequired: true,
  isRecursive: true,
}

/** https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations */
const ANTHROPIC: Rules = {
  always: ["type", "enum", "const", "anyOf", "title", "description", "$defs"],
  byType: { string: ["format"], array: ["items", "minItems"], object: ["properties", "required", "additionalProperties"] },
  formats: [...FORMATS, "uri"],
  values: ["string", "number", "boolean", "null"],
  isClosed: true,
  isAllRequired: false,
  isRecursive: false,
  minItems: [0, 1],
}

/** https://ai.google.dev/api/generate-content#v1beta.GenerationConfig, `responseJsonSchema` */
const GEMINI: Rules = {
  always: ["type", "format", "enum", "anyOf", "title", "description", "$defs"],
  byType: {
    number: ["minimum", "maximum"],
    integer: ["minimum", "maximum"],
    array: ["items", "prefixItems", "minItems", "maxItems"],
    object: ["properties", "required", "additionalProperties"],
  },
  values: ["string", "number"],
  isClosed: false,
  isAllRequired: false,
  isRecursive: true,
}

export const RULES = { openai: OPENAI, anthropic: ANTHROPIC, gemini: GEMINI } as const

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)
const kind = (value: unknown): string => (value === null ? "null" : typeof value)

/** Everything in a schema that breaks the rules, by its place. */
export function broken(rules: Rules, schema: Json): readonly string[] {
  const found: string[] = []
  const definitions: Json = isObject(schema.$defs) ? schema.$defs : {}

  function look(node: unknown, place: string, isRoot = false): void {
    const say = (text: string): void => void found.push(`${place}: ${text}`)
    if (!isObject(node)) return say("no object")
    if ("$ref" in node) {
      if (Object.keys(node).length > 1) say(`beside $ref: ${Object.keys(node).join()}`)
      const name = /^#\/\$defs\/(.+)$/.exec(String(node.$ref))?.[1]
      if (node.$ref !== "#" && (name === undefined || !Object.hasOwn(definitions, name))) say(`${String(node.$ref)} leads nowhere`)
      return
    }
    const types = (Array.isArray(node.type) ? node.type : [node.type]).filter((type) => type !== undefined) as string[]
    for (const type of types) if (!TYPES.includes(type)) say(`type ${type}`)
    if (types.length > 1 && types.some((type) => type === "object" || type === "array")) say("a list of types beside parts")
    const allowed = [...rules.always, ...types.flatMap((type) => rules.byType[type] ?? [])]
    for (const key of Object.keys(node)) if (!allowed.includes(key)) say(`keyword ${key}`)
    if ("$defs" in node && !isRoot) say("$defs not at the root")
    if (rules.isClosed && types.length === 0 && !("anyOf" in node)) say("no type")
    if ("anyOf" in node) {
      if (isRoot) say("anyOf at the root")
      const beside = Object.keys(node).filter((key) => !["anyOf", "title", "description"].includes(key))
      if (beside.length > 0) say(`beside anyOf: ${beside.join()}`)
      if (!Array.isArray(node.anyOf) || node.anyOf.length === 0) say("anyOf is no list")
      else node.anyOf.forEach((one, index) => look(one, `${place}.anyOf[${index}]`))
    }
    const values = [...("const" in node ? [node.const] : []), ...(Array.isArray(node.enum) ? (node.enum as unknown[]) : [])]
    for (const value of values) if (!rules.values.includes(kind(value))) say(`value ${JSON.stringify(value)}`)
    if ("enum" in node && (!Array.isArray(node.enum) || node.enum.length === 0)) say("enum is empty")
    if (rules.formats && "format" in node && !rules.formats.includes(String(node.format))) say(`format ${String(node.format)}`)
    if (rules.minItems && "minItems" in node && !rules.minItems.includes(Number(node.minItems))) say(`minItems ${String(node.minItems)}`)
    if (types.includes("object")) {
      const properties = isObject(node.properties) ? node.properties : {}
      const required = Array.isArray(node.required) ? (node.required as string[]) : []
      if (rules.isClosed && node.additionalProperties !== false) say("not closed")
      if (rules.isClosed && required.some((name) => !Object.hasOwn(properties, name))) say("requires what it does not name")
      if (rules.isAllRequired && [...required].sort().join() !== Object.keys(properties).sort().join()) say("not all required")
      if (new Set(required).size !== required.length) say("required twice")
      for (const [name, one] of Object.entries(properties)) look(one, `${place}.${name}`)
      if (isObject(node.additionalProperties)) look(node.additionalProperties, `${place}.*`)
    }
    if (types.includes("array")) {
      if (rules.isClosed && !("items" in node)) say("no items")
      if ("items" in node) look(node.items, `${place}[]`)
      if (Array.isArray(node.prefixItems)) node.prefixItems.forEach((one, index) => look(one, `${place}[${index}]`))
    }
  }

  if (schema.type !== "object") found.push("the root is no object")
  look(schema, "root", true)
  for (const [name, one] of Object.entries(definitions)) look(one, `$defs.${name}`)
  if (!rules.isRecursive && comesRound(schema, definitions)) found.push("it contains itself")
  return found
}

function comesRound(schema: Json, definitions: Json): boolean {
  const refs = (node: unknown): readonly string[] => [...JSON.stringify(node).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)].map(([, name = ""]) => name)
  if (JSON.stringify(schema).includes('"$ref":"#"')) return true
  const reaches = (name: string, seen: readonly string[]): boolean => seen.includes(name) || refs(definitions[name]).some((next) => reaches(next, [...seen, name]))
  return Object.keys(definitions).some((name) => reaches(name, []))
}

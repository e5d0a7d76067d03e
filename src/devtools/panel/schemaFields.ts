import type { JsonSchema } from "../recorder/history.ts"

/** One property of a tool's parameters that a form can ask for. Whatever is no simple value is asked for as JSON. */
export interface SchemaField {
  readonly name: string
  readonly kind: "text" | "number" | "boolean" | "choice" | "json"
  readonly isRequired: boolean
  readonly description: string | undefined
  /** Of a `choice`. */
  readonly options: readonly unknown[]
  readonly schema: JsonSchema
}

const objectOf = (value: unknown): JsonSchema => (typeof value === "object" && value !== null ? (value as JsonSchema) : {})

function kindOf(schema: JsonSchema): SchemaField["kind"] {
  if (Array.isArray(schema.enum)) return "choice"
  switch (schema.type) {
    case "string":
      return "text"
    case "number":
    case "integer":
      return "number"
    case "boolean":
      return "boolean"
    default:
      return "json"
  }
}

export function fieldsOf(parameters: JsonSchema): readonly SchemaField[] {
  const required = Array.isArray(parameters.required) ? parameters.required : []
  return Object.entries(objectOf(parameters.properties)).map(([name, property]) => {
    const schema = objectOf(property)
    return {
      name,
      kind: kindOf(schema),
      isRequired: required.includes(name),
      description: typeof schema.description === "string" ? schema.description : undefined,
      options: Array.isArray(schema.enum) ? schema.enum : [],
      schema,
    }
  })
}

/** A value of the schema to begin with: its default, its first example or choice, or an empty one of its type. */
export function sampleOf(schema: JsonSchema): unknown {
  if ("default" in schema) return schema.default
  if ("const" in schema) return schema.const
  const [first] = [schema.examples, schema.enum].flatMap((list: unknown) => (Array.isArray(list) ? (list as unknown[]) : []))
  if (first !== undefined) return first
  const [option] = [schema.anyOf, schema.oneOf].flatMap((list: unknown) => (Array.isArray(list) ? (list as unknown[]) : []))
  if (option !== undefined) return sampleOf(objectOf(option))
  switch (schema.type) {
    case "string":
      return ""
    case "number":
    case "integer":
      return typeof schema.minimum === "number" ? schema.minimum : 0
    case "boolean":
      return false
    case "array":
      return []
    case "object":
      return Object.fromEntries(fieldsOf(schema).filter(({ isRequired }) => isRequired).map(({ name, schema: of }) => [name, sampleOf(of)]))
    default:
      return null
  }
}

/** What stands in a field, as text; what is not there is empty. */
export function textOfValue({ kind }: SchemaField, value: unknown): string {
  if (value === undefined) return ""
  return typeof value === "string" && kind !== "json" && kind !== "choice" ? value : JSON.stringify(value)
}

/** The value of a field's text; `undefined` leaves the property out. @throws SyntaxError for JSON that is none. */
export function valueOfText({ kind, isRequired }: SchemaField, text: string): unknown {
  if (kind === "text") return text === "" && !isRequired ? undefined : text
  if (text.trim() === "") return undefined
  if (kind === "number") return Number.isNaN(Number(text)) ? text : Number(text)
  if (kind === "boolean") return text === "true"
  return JSON.parse(text)
}

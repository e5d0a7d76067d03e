import type { JsonSchema, JsonValue } from "react-tool-client"
import { type Field, formOf } from "./schemaField.ts"

/** Something that the schema would likely take, to begin from; what is optional is left out. */
function exampleOf(field: Field): JsonValue {
  if (field.initial !== undefined) return field.initial
  switch (field.kind) {
    case "choice":
      return field.options[0]?.value ?? ""
    case "number":
      return field.minimum ?? 1
    case "boolean":
      return true
    case "text":
      return "…"
    case "list":
      return [exampleOf(field.item)]
    case "group":
      return Object.fromEntries(field.properties.filter(({ isRequired }) => isRequired).map(({ name, field: property }) => [name, exampleOf(property)]))
    case "json":
      return {}
    default:
      return field satisfies never
  }
}

export const exampleArguments = (parameters: JsonSchema): JsonValue => exampleOf(formOf(parameters))

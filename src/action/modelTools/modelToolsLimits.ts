import type { JsonSchema } from "../../tool/toolSpec.ts"
import type { SchemaLimits } from "./modelToolsDialect.ts"
import { isSchema } from "./modelToolsMerge.ts"

const charactersOf = (values: readonly unknown[]): number => values.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0)

/** Which of a provider's limits a schema breaks, in words; `undefined` for one that keeps them all. */
export function brokenLimit(schema: JsonSchema, limits: SchemaLimits): string | undefined {
  let properties = 0
  let characters = 0
  let enumValues = 0
  let levels = 0
  let large: string | undefined

  function count(node: unknown, level: number): void {
    if (!isSchema(node)) return
    levels = Math.max(levels, level)
    const { enum: values, anyOf, items } = node
    if (isSchema(node.properties)) {
      const names = Object.keys(node.properties)
      properties += names.length
      characters += charactersOf(names)
      for (const one of Object.values(node.properties)) count(one, level + 1)
    }
    if (isSchema(node.$defs)) {
      characters += charactersOf(Object.keys(node.$defs))
      for (const one of Object.values(node.$defs)) count(one, level)
    }
    if (Array.isArray(values)) {
      enumValues += values.length
      characters += charactersOf(values)
      if (values.length > limits.largeEnumValues && charactersOf(values) > limits.largeEnumCharacters) {
        large = `an enum of more than ${limits.largeEnumValues} values has more than ${limits.largeEnumCharacters} characters`
      }
    }
    characters += charactersOf([node.const])
    if (Array.isArray(anyOf)) for (const one of anyOf) count(one, level)
    count(items, level + 1)
  }
  count(schema, 0)

  if (properties > limits.properties) return `it has ${properties} properties, and ${limits.properties} may be`
  if (levels > limits.levels) return `it has ${levels} levels, and ${limits.levels} may be`
  if (characters > limits.characters) return `its names and values have ${characters} characters; the maximum is ${limits.characters}`
  if (enumValues > limits.enumValues) return `its enums have ${enumValues} values, and ${limits.enumValues} may be`
  return large
}

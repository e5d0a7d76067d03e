import type { JsonSchema } from "../tool/toolSpec.ts"
import type { Dialect } from "./modelToolsDialect.ts"
import { type Budget, deref, isSchema, mergeAllOf, resolveRef, spend } from "./modelToolsMerge.ts"

export type SchemaPath = readonly (string | number)[]

/** What a schema says otherwise than it did. */
export type TellSchema = (kind: "dropped" | "rewritten" | "narrowed" | "nullable", path: SchemaPath, text: string) => void

/** A dialect has no words for a schema. */
export class Inexpressible extends Error {
  readonly path: SchemaPath

  constructor(path: SchemaPath, reason: string) {
    super(reason)
    this.path = path
  }
}

/** Keywords that say nothing of a value, or whose schemas are converted where they are pointed at. */
const SILENT = new Set(["$schema", "$id", "$comment", "$defs", "definitions", "$anchor", "$dynamicAnchor", "$vocabulary", "examples", "deprecated", "readOnly", "writeOnly"])

const TYPES = new Set<unknown>(["string", "number", "integer", "boolean", "object", "array", "null"])

/** The type that a keyword speaks of. */
const TYPE_OF_KEYWORD: Readonly<Record<string, string>> = {
  properties: "object",
  required: "object",
  additionalProperties: "object",
  patternProperties: "object",
  propertyNames: "object",
  items: "array",
  prefixItems: "array",
  minItems: "array",
  maxItems: "array",
  uniqueItems: "array",
  contains: "array",
  minLength: "string",
  maxLength: "string",
  pattern: "string",
  format: "string",
  minimum: "number",
  maximum: "number",
  exclusiveMinimum: "number",
  exclusiveMaximum: "number",
  multipleOf: "number",
}

/** Of regular expressions; engines that generate by one have no words for these. */
const BACKTRACKS = /\(\?<?[=!]|\\[1-9bB]|\\k</

const typeName = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value)

/** Whether a schema of the tool's own takes `null`. */
export function acceptsNull(schema: unknown, root: JsonSchema, budget: Budget, depth = 0): boolean {
  spend(budget)
  if (schema === true) return true
  if (!isSchema(schema) || depth > MAX_NULL_DEPTH) return false
  const accepts = (one: unknown): boolean => acceptsNull(one, root, budget, depth + 1)
  const found = deref(schema, root)
  const { type, anyOf, oneOf, allOf, not } = found
  if (type !== undefined && !(Array.isArray(type) ? type : [type]).includes("null")) return false
  if (Object.hasOwn(found, "const") && found.const !== null) return false
  if (Array.isArray(found.enum) && !found.enum.includes(null)) return false
  if ([anyOf, oneOf].some((all) => Array.isArray(all) && !all.some(accepts))) return false
  if (Array.isArray(allOf) && !allOf.every(accepts)) return false
  return !(isSchema(not) && accepts(not))
}

/** Unions within unions: more is a schema that contains itself. */
const MAX_NULL_DEPTH = 32

/** Whether what a schema says contains itself, or something that does. */
function isCyclic(schema: unknown, root: JsonSchema, above = new Set<unknown>(), done = new Set<unknown>()): boolean {
  if (Array.isArray(schema)) return schema.some((one) => isCyclic(one, root, above, done))
  if (!isSchema(schema) || done.has(schema)) return false
  if (above.has(schema)) return true
  above.add(schema)
  const inner = Object.entries(schema).flatMap(([key, value]) => {
    if (DATA.has(key)) return []
    return key === "properties" && isSchema(value) ? Object.values(value) : [value]
  })
  const found = isCyclic([resolveRef(schema.$ref, root), ...inner], root, above, done)
  above.delete(schema)
  done.add(schema)
  return found
}

/** Keywords whose values are no schemas, or none that hold where they stand. */
const DATA = new Set(["$defs", "definitions", "const", "enum", "default", "examples"])

/**
 * Says a tool's parameters in a dialect. What is dropped of a schema goes into its description, where the model still reads it.
 *
 * @param root - As {@link objectRootOf} gives it.
 * @throws Inexpressible where a strict dialect cannot say it; RangeError where the budget is spent
 */
export function convertSchema(root: JsonSchema, dialect: Dialect, budget: Budget, tell: TellSchema): JsonSchema {
  const { keywords, isStrict } = dialect
  /** By what points at them; filled as they are met, so that what nobody points at sinks no tool. */
  const definitions = new Map<unknown, { readonly name: string; schema: JsonSchema }>()

  function definitionName(ref: string): string {
    const base = ref.split("/").at(-1)?.replace(/[^\w-]+/g, "_") || "definition"
    const taken = [...definitions.values()].map(({ name }) => name)
    let name = base
    for (let count = 2; taken.includes(name); count++) name = `${base}_${count}`
    return name
  }

  /** One that cannot be said is anything, or makes the tool not strict. */
  function give(path: SchemaPath, reason: string): JsonSchema {
    if (isStrict) throw new Inexpressible(path, reason)
    tell("dropped", path, reason)
    return {}
  }

  function reference(schema: JsonSchema, path: SchemaPath): JsonSchema {
    const { $ref, ...beside } = schema
    const target = resolveRef($ref, root)
    if (!target) return give(path, `"${String($ref)}" leads nowhere within the tool's own schema`)
    const { $defs: _defs, definitions: _definitions, title: _title, description, ...constraints } = beside
    if (Object.keys(constraints).some((key) => !SILENT.has(key))) {
      // What stands beside a reference holds too: said in its place, unless it comes round.
      if (isCyclic(target, root)) tell("dropped", path, `${Object.keys(constraints).join(", ")} beside a $ref; only the page checks it`)
      else return convert(deref(schema, root), path)
    }
    if (dialect.recursion === "nowhere") {
      if (isCyclic(target, root)) throw new Inexpressible(path, "it contains itself")
    }
    let ref = "#"
    if (target !== root) {
      let known = definitions.get(target)
      if (!known) {
        known = { name: definitionName(String($ref)), schema: {} }
        definitions.set(target, known)
        known.schema = convert(target, path)
      }
      ref = `#/$defs/${known.name}`
    }
    return typeof description === "string" ? { anyOf: [{ $ref: ref }], description } : { $ref: ref }
  }

  /** A schema without `allOf`, and without constraints beside `anyOf`. */
  function plainOf(schema: JsonSchema, path: SchemaPath): JsonSchema {
    let plain = schema
    if ("allOf" in plain) {
      const merged = mergeAllOf(plain, root, budget)
      const { allOf: _parts, ...own } = plain
      if (merged) tell("rewritten", path, "the parts of allOf are one schema")
      else give(path, "allOf cannot be said as one schema; only the page checks it")
      plain = merged ?? own
    }
    if ("oneOf" in plain && !("anyOf" in plain) && !keywords.has("oneOf")) {
      const { oneOf, ...own } = plain
      tell("rewritten", path, "oneOf is anyOf: that only one holds, only the page checks")
      plain = { ...own, anyOf: oneOf }
    }
    const { anyOf, title: _title, description: _description, ...beside } = plain
    const constraints = Object.fromEntries(Object.entries(beside).filter(([key]) => !SILENT.has(key) && keywords.has(key)))
    if (!Array.isArray(anyOf) || Object.keys(constraints).length === 0) return plain
    const said = anyOf.map((one: unknown) => (isSchema(one) ? mergeAllOf({ ...constraints, allOf: [one] }, root, budget) : undefined)).filter((one) => one !== undefined)
    if (said.length < anyOf.length) tell("rewritten", path, "what stands beside anyOf holds for each variant; those that it contradicts are left out")
    const rest = Object.fromEntries(Object.entries(plain).filter(([key]) => !Object.hasOwn(constraints, key)))
    if (said.length > 0) return { ...rest, anyOf: said }
    give(path, "anyOf contradicts what stands beside it")
    return rest
  }

  function typeOf(schema: JsonSchema, path: SchemaPath): unknown {
    if ("anyOf" in schema || "oneOf" in schema) return undefined
    if (schema.type !== undefined) {
      const given = Array.isArray(schema.type) ? (schema.type as unknown[]) : [schema.type]
      if (given.length > 0 && given.every((type) => TYPES.has(type))) return schema.type
      give(path, `${JSON.stringify(schema.type)} is no type`)
      return undefined
    }
    const values = "const" in schema ? [schema.const] : Array.isArray(schema.enum) ? (schema.enum as unknown[]) : []
    const types = [...new Set(values.map(typeName))]
    if (types.length > 0) return types.length > 1 ? types : types[0]
    const implied = Object.keys(schema).find((key) => Object.hasOwn(TYPE_OF_KEYWORD, key))
    if (implied === undefined) {
      if (isStrict) throw new Inexpressible(path, "it may be anything, and a strict schema says a type")
      return undefined
    }
    const type = TYPE_OF_KEYWORD[implied]
    tell("narrowed", path, `it has no type; "${implied}" speaks of type ${type}, so it is that`)
    return type
  }

  const saysNull = ({ type, enum: values, anyOf }: JsonSchema): boolean =>
    Array.isArray(anyOf)
      ? anyOf.some((one) => isSchema(one) && saysNull(one))
      : (Array.isArray(type) ? type : [type]).includes("null") && (!Array.isArray(values) || values.includes(null))

  function nullable(schema: JsonSchema): JsonSchema {
    const { type, anyOf, description, ...rest } = schema
    const types = Array.isArray(type) ? (type as string[]) : [String(type)]
    const isPlain = type !== undefined && !anyOf && !("enum" in rest) && !("const" in rest) && !types.includes("object") && !types.includes("array")
    if (isPlain) return { ...schema, type: types.includes("null") ? types : [...types, "null"] }
    const note = description !== undefined && { description }
    if (Array.isArray(anyOf) && type === undefined) return { ...rest, anyOf: [...(anyOf as unknown[]), { type: "null" }], ...note }
    const { description: _moved, ...inner } = schema
    return { anyOf: [inner, { type: "null" }], ...note }
  }

  function objectOf(schema: JsonSchema, path: SchemaPath): JsonSchema {
    const properties = isSchema(schema.properties) ? schema.properties : {}
    const names = Object.keys(properties)
    const required = Array.isArray(schema.required) ? (schema.required as string[]) : []
    const open = schema.additionalProperties ?? (isSchema(schema.patternProperties) || (names.length === 0 && path.length > 0 ? undefined : "unsaid"))
    if (isStrict) {
      if (open !== false && open !== "unsaid") throw new Inexpressible(path, "it takes properties of any name, and a strict object names all of them")
      if (open === "unsaid" && names.length > 0) tell("narrowed", path, "it takes no other properties than those that it names")
      const unknown = required.find((name) => !Object.hasOwn(properties, name))
      if (unknown !== undefined) throw new Inexpressible([...path, unknown], "it is required, and nothing says what it is")
    }
    const kept = new Set(required)
    const converted = names.map((name): [string, unknown] => {
      const at = [...path, name]
      const own = properties[name]
      const said = convert(own, at)
      if (dialect.recursion === "optional" && kept.has(name) && isCyclic(own, root)) {
        kept.delete(name)
        tell("rewritten", at, "it contains itself, so it is not required of the model; the page requires it")
      }
      if (!dialect.needsAll || kept.has(name)) return [name, said]
      kept.add(name)
      const isTaken = acceptsNull(own, root, budget)
      tell("nullable", at, `it is optional, and the model has to give it: null stands for nothing, ${isTaken ? "which the tool takes" : "and `toCall` leaves it out"}`)
      return [name, saysNull(said) ? said : nullable(said)]
    })
    const additional = isStrict ? false : isSchema(schema.additionalProperties) ? convert(schema.additionalProperties, [...path, "*"]) : schema.additionalProperties
    return {
      properties: Object.fromEntries(converted),
      ...((isStrict || kept.size > 0) && { required: names.filter((name) => kept.has(name)).concat(required.filter((name) => kept.has(name) && !Object.hasOwn(properties, name))) }),
      ...(additional !== undefined && { additionalProperties: additional }),
    }
  }

  function arrayOf(schema: JsonSchema, path: SchemaPath): JsonSchema {
    const tuple = Array.isArray(schema.prefixItems) ? (schema.prefixItems as unknown[]) : Array.isArray(schema.items) ? (schema.items as unknown[]) : undefined
    const rest: unknown = Array.isArray(schema.items) ? schema.additionalItems : schema.items
    const inner = [...path, "[]"]
    if (tuple && keywords.has("prefixItems")) {
      return { prefixItems: tuple.map((one, index) => convert(one, [...path, index])), ...(isSchema(rest) && { items: convert(rest, inner) }) }
    }
    if (tuple && tuple.length > 0) {
      tell("rewritten", path, "a tuple is an array of what any of its places takes; their order only the page checks")
      const places = tuple.map((one, index) => convert(one, [...path, index]))
      const all = isSchema(rest) ? [...places, convert(rest, inner)] : places
      return { items: all.length > 1 ? { anyOf: all } : all[0] }
    }
    if (rest === undefined && !isStrict) return {}
    return { items: convert(rest ?? true, inner) }
  }

  /** The values that may be said; `undefined` where not all of them may. */
  function valuesOf(schema: JsonSchema, path: SchemaPath): JsonSchema {
    const isConst = "const" in schema
    const values = isConst ? [schema.const] : (schema.enum as unknown[] | undefined)
    if (!Array.isArray(values)) return {}
    if (values.every((value) => dialect.enumTypes.has(typeName(value)))) {
      return isConst && keywords.has("const") ? { const: schema.const } : { enum: values }
    }
    give(path, `${isConst ? "const" : "enum"} has values that may not stand there; only the page checks it`)
    return {}
  }

  /** Keywords of scalars, as they are. */
  function scalarOf(schema: JsonSchema, path: SchemaPath, dropped: Map<string, unknown>): JsonSchema {
    const kept: Record<string, unknown> = {}
    for (const [key, value] of Object.entries(schema)) {
      if (HANDLED.has(key) || SILENT.has(key)) continue
      const isKept =
        keywords.has(key) &&
        !(key === "format" && dialect.formats && !dialect.formats.has(String(value))) &&
        !(key === "pattern" && BACKTRACKS.test(String(value))) &&
        !(key === "minItems" && dialect.minItemsAtMostOne && Number(value) > 1)
      if (isKept) kept[key] = value
      else {
        dropped.set(key, value)
        tell("dropped", path, `${key} may not stand there; the description says it, and the page checks it`)
      }
    }
    return kept
  }

  /** One schema for each type where they have parts of their own: a list of types is for scalars. */
  function apart(schema: JsonSchema, path: SchemaPath): JsonSchema {
    const { type, title, description, ...rest } = schema
    if (!Array.isArray(type) || type.length < 2 || !type.some((one) => one === "object" || one === "array")) return schema
    if ("enum" in rest || "const" in rest) return schema
    const one = (name: unknown): JsonSchema => ({
      type: name,
      ...Object.fromEntries(Object.entries(rest).filter(([key]) => [undefined, name, name === "integer" ? "number" : name].includes(TYPE_OF_KEYWORD[key]))),
    })
    if ("anyOf" in rest || "oneOf" in rest) return give(path, "a list of types beside a union cannot be said")
    return { anyOf: type.map(one), ...(title !== undefined && { title }), ...(description !== undefined && { description }) }
  }

  function convert(node: unknown, path: SchemaPath): JsonSchema {
    spend(budget)
    if (node === false) return give(path, "nothing is taken there")
    if (!isSchema(node)) return node === true || node === undefined ? convert({}, path) : give(path, "it is no schema")
    if (node.$ref !== undefined) return reference(node, path)
    const schema = apart(plainOf(node, path), path)
    if (schema.$ref !== undefined) return reference(schema, path)
    const dropped = new Map<string, unknown>()
    const type = typeOf(schema, path)
    const types = Array.isArray(type) ? (type as unknown[]) : [type]
    const kept = scalarOf(schema, path, dropped)
    const values = valuesOf(schema, path)
    const anyOf: unknown = schema.anyOf ?? schema.oneOf
    const said: JsonSchema = {
      ...(type !== undefined && { type }),
      ...values,
      ...kept,
      ...(types.includes("object") && objectOf(schema, path)),
      ...(types.includes("array") && arrayOf(schema, path)),
      ...(Array.isArray(anyOf) && { anyOf: anyOf.map((one) => convert(one, path)) }),
    }
    const { title, description } = schema
    const notes = Array.from(dropped, ([key, value]) => `${key}: ${JSON.stringify(value)}`).join(", ")
    const text = [description, notes && `(${notes})`].filter(Boolean).join(" ")
    return { ...said, ...(typeof title === "string" && { title }), ...(text !== "" && { description: text }) }
  }

  const converted = convert(root, [])
  const all = [...definitions.values()]
  return all.length === 0 ? converted : { ...converted, $defs: Object.fromEntries(all.map(({ name, schema }) => [name, schema])) }
}

/** Converted by a rule of their own. */
const HANDLED = new Set(["type", "enum", "const", "anyOf", "oneOf", "properties", "required", "additionalProperties", "items", "prefixItems", "additionalItems", "title", "description", "$ref"])


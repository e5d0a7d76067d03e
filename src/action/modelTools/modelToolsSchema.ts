import type { JsonSchema } from "../../tool/toolSpec.ts"
import type { Dialect } from "./modelToolsDialect.ts"
import { isCyclic } from "./modelToolsCyclic.ts"
import { type Budget, deref, isSchema, mergeAllOf, resolveRef, spend } from "./modelToolsMerge.ts"
import { acceptsNull, nullable } from "./modelToolsNull.ts"
import { apart, impliedType, isType, typeName } from "./modelToolsTypes.ts"

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

/** Of regular expressions; engines that generate by one have no words for these. */
const BACKTRACKS = /\(\?<?[=!]|\\[1-9bB]|\\k</

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
      if (isType(schema.type)) return schema.type
      give(path, `${JSON.stringify(schema.type)} is no type`)
      return undefined
    }
    const { type, keyword } = impliedType(schema)
    if (type === undefined && isStrict) throw new Inexpressible(path, "it may be anything, and a strict schema says a type")
    if (keyword !== undefined) tell("narrowed", path, `it has no type; "${keyword}" speaks of type ${String(type)}, so it is that`)
    return type
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
      if (dialect.recursion === "optional" && kept.has(name) && isCyclic(own, root, "required")) {
        kept.delete(name)
        tell("rewritten", at, "it contains itself, so it is not required of the model; the page requires it")
      }
      if (!dialect.needsAll || kept.has(name)) return [name, said]
      kept.add(name)
      const isTaken = acceptsNull(own, root, budget)
      tell("nullable", at, `it is optional, and the model has to give it: null stands for nothing, ${isTaken ? "which the tool takes" : "and `toCall` leaves it out"}`)
      return [name, nullable(said)]
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
  function valuesOf(schema: JsonSchema, path: SchemaPath, dropped: Map<string, unknown>): JsonSchema {
    const isConst = "const" in schema
    const values = isConst ? [schema.const] : (schema.enum as unknown[] | undefined)
    if (!Array.isArray(values)) return {}
    if (values.length === 0) return give(path, "nothing is taken there")
    if (values.every((value) => dialect.enumTypes.has(typeName(value)))) {
      return isConst && keywords.has("const") ? { const: schema.const } : { enum: values }
    }
    const keyword = isConst ? "const" : "enum"
    give(path, `${keyword} has values that may not stand there; the description says it, and the page checks it`)
    dropped.set(keyword, isConst ? schema.const : values)
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

  function convert(node: unknown, path: SchemaPath): JsonSchema {
    spend(budget)
    if (node === false) return give(path, "nothing is taken there")
    if (!isSchema(node)) return node === true || node === undefined ? convert({}, path) : give(path, "it is no schema")
    if (node.$ref !== undefined) return reference(node, path)
    const plain = plainOf(node, path)
    const schema = apart(plain) ?? give(path, "a list of types beside a union cannot be said")
    if (schema.$ref !== undefined) return reference(schema, path)
    const dropped = new Map<string, unknown>()
    const type = typeOf(schema, path)
    const types = Array.isArray(type) ? (type as unknown[]) : [type]
    const kept = scalarOf(schema, path, dropped)
    const values = valuesOf(schema, path, dropped)
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


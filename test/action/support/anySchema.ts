import fc from "fast-check"

/** A schema, and values that it takes. */
export interface Sample {
  readonly schema: unknown
  readonly value: fc.Arbitrary<unknown>
}

const sample = (schema: unknown, value: fc.Arbitrary<unknown>): Sample => ({ schema, value })

const NAMES = ["a", "b", "kind", "first name", "properties", "required", "$ref", "type", "enum", "1st", "ü"]
const SAFE_NAMES = ["a", "b", "c", "kind", "properties", "required", "type", "enum", "x.y"]

/** Scalars, each with a keyword or two that some provider does not take. */
const scalar: fc.Arbitrary<Sample> = fc.constantFrom(
  sample({ type: "string" }, fc.string()),
  sample({ type: "string", minLength: 1, description: "Not empty." }, fc.string({ minLength: 1 })),
  sample({ type: "string", format: "email", pattern: "^(?!\\.).+$" }, fc.constant("a@b.example")),
  sample({ type: "string", format: "binary" }, fc.string()),
  sample({ type: "integer", minimum: 0, exclusiveMaximum: 10 }, fc.nat(9)),
  sample({ type: "number", multipleOf: 0.5, default: 1 }, fc.nat(9)),
  sample({ type: "boolean", title: "Whether" }, fc.boolean()),
  sample({ type: "null" }, fc.constant(null)),
  sample({ enum: ["x", "y"] }, fc.constantFrom("x", "y")),
  sample({ type: "string", enum: ["x", "y"] }, fc.constantFrom("x", "y")),
  sample({ const: "c" }, fc.constant("c")),
  sample({ const: 7 }, fc.constant(7)),
  sample({ const: true }, fc.constant(true)),
  sample({ enum: ["x", 1, null] }, fc.constantFrom("x", 1, null)),
  sample({ type: ["string", "null"] }, fc.option(fc.string())),
  sample({ type: ["string", "integer"], minimum: 3 }, fc.oneof(fc.string(), fc.integer({ min: 3 }))),
  sample({ minLength: 2 }, fc.string({ minLength: 2 })),
  sample({ type: "string", not: { const: "no" } }, fc.constant("yes")),
)

/** What a strict mode has no words for. */
const odd: fc.Arbitrary<Sample> = fc.constantFrom(
  sample({}, fc.string()),
  sample(true, fc.string()),
  sample(false, fc.constant(null)),
  sample({ type: "object" }, fc.constant({})),
  sample({ type: "object", additionalProperties: { type: "string" } }, fc.dictionary(fc.constantFrom("k", "l"), fc.string())),
  sample({ type: "object", properties: { a: { type: "string" } }, additionalProperties: true }, fc.constant({ a: "x" })),
  sample({ type: "array" }, fc.array(fc.nat())),
  sample({ type: "array", items: false }, fc.constant([])),
  sample({ enum: [{ deep: true }] }, fc.constant({ deep: true })),
  sample({ $ref: "https://elsewhere.example/schema.json" }, fc.string()),
  sample({ $ref: "#/$defs/nobody" }, fc.string()),
  sample({ if: { type: "string" }, then: { minLength: 1 } }, fc.nat()),
  sample({ patternProperties: { "^x": { type: "string" } } }, fc.constant({})),
  sample({ type: ["object", "null"], properties: { a: { type: "string" } }, required: ["a"] }, fc.constantFrom<unknown>(null, { a: "x" })),
  sample({ type: "strange" }, fc.constant(null)),
  sample({ allOf: [{ type: "string" }, { type: "number" }] }, fc.constant(null)),
)

function takesNull(schema: unknown): boolean {
  const { type, const: constant, enum: values = constant === undefined ? undefined : [constant], anyOf, oneOf = anyOf, allOf, $ref } = Object(schema) as Readonly<Record<string, unknown>>
  if (allOf !== undefined || $ref !== undefined) return false
  if (Array.isArray(oneOf)) return oneOf.some(takesNull)
  if (Array.isArray(values)) return values.includes(null)
  return type === undefined || [type].flat().includes("null")
}

const objectOf = (inner: fc.Arbitrary<Sample>, names: readonly string[]): fc.Arbitrary<Sample> =>
  fc
    .tuple(fc.uniqueArray(fc.constantFrom(...names), { maxLength: 4 }), fc.array(fc.tuple(inner, fc.boolean()), { minLength: 4, maxLength: 4 }), fc.boolean())
    .map(([keys, parts, isClosed]) => {
      const properties = keys.map((key, index) => [key, parts[index] as [Sample, boolean]] as const)
      // Of an optional one that takes null nobody could tell whether null was meant.
      const required = properties.filter(([, [{ schema }, isRequired]]) => isRequired || takesNull(schema)).map(([key]) => key)
      return sample(
        {
          type: "object",
          properties: Object.fromEntries(properties.map(([key, [{ schema }]]) => [key, schema])),
          ...(required.length > 0 && { required }),
          ...(isClosed && { additionalProperties: false }),
        },
        fc.record(Object.fromEntries(properties.map(([key, [{ value }]]) => [key, value])), { requiredKeys: required as never[] }),
      )
    })

const unionOf = (inner: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> =>
  fc.tuple(inner, fc.constantFrom("anyOf", "oneOf")).map(([{ schema, value }, key]) => sample({ [key]: [schema, { type: "null" }], description: "Or nothing." }, fc.option(value)))

const notNull = (inner: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> => inner.filter(({ schema }) => !takesNull(schema))

/** Two objects that a constant tells apart. */
const toldApart = (inner: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> =>
  fc.tuple(notNull(inner), notNull(inner), fc.constantFrom("anyOf", "oneOf")).map(([one, other, key]) =>
    sample(
      {
        [key]: [
          { type: "object", properties: { kind: { const: "one" }, x: one.schema }, required: ["kind"] },
          { type: "object", properties: { kind: { const: "other" }, y: other.schema }, required: ["kind"] },
        ],
      },
      fc.oneof(
        fc.record({ kind: fc.constant("one"), x: one.value }, { requiredKeys: ["kind"] }),
        fc.record({ kind: fc.constant("other"), y: other.value }, { requiredKeys: ["kind"] }),
      ),
    ),
  )

const intersectionOf = (inner: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> =>
  fc.tuple(notNull(inner), inner).map(([one, other]) =>
    sample(
      { allOf: [{ type: "object", properties: { p: one.schema } }, { type: "object", properties: { q: other.schema }, required: ["q"] }] },
      fc.record({ p: one.value, q: other.value }, { requiredKeys: ["q"] }),
    ),
  )

function schemas(leaf: fc.Arbitrary<Sample>, names: readonly string[]): fc.Arbitrary<Sample> {
  const { node } = fc.letrec<{ node: Sample }>((tie) => ({
    node: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      leaf,
      objectOf(tie("node"), names),
      tie("node").map(({ schema, value }) => sample({ type: "array", items: schema, minItems: 0, uniqueItems: false }, fc.array(value, { maxLength: 3 }))),
      unionOf(tie("node")),
      toldApart(tie("node")),
      intersectionOf(tie("node")),
      fc.constantFrom(
        sample({ $ref: "#/$defs/Leaf" }, fc.string()),
        sample({ $ref: "#/$defs/Leaf", description: "A leaf." }, fc.string()),
        sample({ $ref: "#/$defs/Point" }, fc.record({ at: fc.nat(), note: fc.string() }, { requiredKeys: ["at"] })),
        sample({ $ref: "#/$defs/Tree" }, fc.constantFrom<unknown>({}, { label: "root", children: [{}, { label: "leaf" }] })),
      ),
    ),
  }))
  return node
}

const DEFINITIONS = {
  Leaf: { type: "string", maxLength: 99 },
  Point: { type: "object", properties: { at: { type: "integer" }, note: { type: "string" } }, required: ["at"] },
  Tree: { type: "object", properties: { label: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/Tree" } } } },
}

const rooted = (root: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> =>
  root.map(({ schema, value }) => sample({ ...(schema as object), $defs: DEFINITIONS }, value))

/** Parameters of tools that every strict mode can say, with arguments. */
export const sayable: fc.Arbitrary<Sample> = rooted(objectOf(schemas(scalar, SAFE_NAMES), SAFE_NAMES))

/** Parameters of any tool, however odd, with arguments. */
export const anyParameters: fc.Arbitrary<Sample> = rooted(
  fc.oneof(objectOf(schemas(fc.oneof(scalar, odd), NAMES), NAMES), toldApart(schemas(fc.oneof(scalar, odd), NAMES)), intersectionOf(schemas(scalar, NAMES))),
)

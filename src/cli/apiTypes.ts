import type { Manifest } from "../action/manifest.ts"
import { optionalPackage } from "../action/optionalPackage.ts"
import { ToolError } from "../action/toolError.ts"
import { reasonOf } from "../tool/reason.ts"
import type { JsonSchema } from "../tool/toolSpec.ts"
import { hoistDefinitions } from "./hoistDefinitions.ts"

const BANNER = `/* eslint-disable */
// Written by \`react-tool-client types\` from a host's manifest. Do not edit: write it again when the host has changed.
`

const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")

/** An object of which every property is there and nothing else. */
const objectOf = (properties: Readonly<Record<string, unknown>>, description?: string): JsonSchema => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...(description !== undefined && { description }),
})

const COMPILER_OPTIONS = {
  bannerComment: "",
  additionalProperties: false,
  style: { semi: false, printWidth: 120 },
  unreachableDefinitions: false,
  // Nothing that a manifest points at elsewhere is fetched.
  $refOptions: { resolve: { external: false } },
} as const

/** One schema of a manifest, and whose it is. */
interface Part {
  /** The tool's id; empty for what is none's. */
  readonly tool: string
  readonly place: string
  readonly schema: JsonSchema
}

const partsOf = ({ providers }: Manifest): readonly Part[] =>
  providers.flatMap(({ id: provider, actions, entities, events }) => [
    ...actions.flatMap(({ id, input, output }): readonly Part[] => [
      { tool: `${provider}.${id}`, place: "its input", schema: input },
      { tool: `${provider}.${id}`, place: "its output", schema: output },
    ]),
    ...entities.map(({ id, schema }): Part => ({ tool: "", place: `the entity "${provider}.${id}"`, schema })),
    ...events.map(({ id, schema }): Part => ({ tool: "", place: `the event "${provider}.${id}"`, schema })),
  ])

/** The first schema that cannot be written by itself. */
async function brokenPart(manifest: Manifest, write: (schema: JsonSchema) => Promise<unknown>): Promise<{ readonly part: Part; readonly cause: unknown } | undefined> {
  for (const part of partsOf(manifest)) {
    try {
      const { root, hoisted } = hoistDefinitions(part.schema, "Part")
      await write({ ...objectOf({ part: { $ref: "#/$defs/Part" } }), title: "Whole", $defs: { Part: root, ...hoisted } })
    } catch (cause) {
      return { part, cause }
    }
  }
  return undefined
}

/**
 * Writes the TypeScript of a manifest: `API_VERSION`, and `ApiSchema` with each action's input and output, each entity and each event.
 *
 * @throws ToolError `bad_manifest` for a schema that cannot be written, `not_installed` without `json-schema-to-typescript`
 */
export async function apiTypes(manifest: Manifest): Promise<string> {
  const { version, providers } = manifest
  const { compile } = await optionalPackage("json-schema-to-typescript", () => import("json-schema-to-typescript"))
  const definitions: Record<string, unknown> = {}
  const counts = new Map<string, number>()
  /** Puts a schema where all are, so that each name is given once; gives what points at it. */
  function define(wanted: string, schema: JsonSchema): JsonSchema {
    let name = wanted
    let count = counts.get(wanted) ?? 2
    while (Object.hasOwn(definitions, name)) name = `${wanted}${count++}`
    counts.set(wanted, count)
    definitions[name] = {}
    const { root, hoisted } = hoistDefinitions(schema, name)
    definitions[name] = root
    Object.assign(definitions, hoisted)
    return { $ref: `#/$defs/${name}` }
  }

  const actions = providers.flatMap(({ actions: all }) =>
    all.map(({ functionName, name, description, input, output }) => {
      const types = objectOf(
        { input: define(`${pascal(functionName)}Input`, input), output: define(`${pascal(functionName)}Output`, output) },
        description ?? name,
      )
      return [functionName, types] as const
    }),
  )
  const typesOf = (kind: "entities" | "events"): JsonSchema =>
    objectOf(
      Object.fromEntries(
        providers.flatMap((provider) =>
          provider[kind].map(({ id, schema }) => [
            `${provider.id}.${id}`,
            define(pascal(`${provider.id} ${id} ${kind === "entities" ? "entity" : "event"}`), schema),
          ]),
        ),
      ),
    )
  const schema = {
    ...objectOf({ version: { type: "string" }, actions: objectOf(Object.fromEntries(actions)), entities: typesOf("entities"), events: typesOf("events") }),
    title: "ApiSchema",
    $defs: definitions,
  }
  const write = (one: JsonSchema): Promise<string> => compile(one, "ApiSchema", COMPILER_OPTIONS)
  try {
    const code = await write(schema)
    return `${BANNER}\n/** Of the manifest that this was written from: give it to createActionClient, which tells when the host has another. */\nexport const API_VERSION = ${JSON.stringify(version)}\n\n${code.trim()}\n`
  } catch (whole) {
    const { part, cause } = (await brokenPart(manifest, write)) ?? { part: { tool: "", place: "the whole manifest" }, cause: whole }
    throw new ToolError("bad_manifest", part.tool, `the types could not be written of ${part.place}: ${reasonOf(cause)}`, { cause })
  }
}

/** The version that a written file was made from; undefined for what is no such file. */
export function versionOfTypes(code: string): string | undefined {
  // As it is written: a version may be any text, and what is in it stands escaped.
  const [, literal] = /^export const API_VERSION = ("(?:[^"\\\r\n]|\\.)*");?\r?$/m.exec(code) ?? []
  try {
    return literal === undefined ? undefined : (JSON.parse(literal) as string)
  } catch {
    return undefined
  }
}

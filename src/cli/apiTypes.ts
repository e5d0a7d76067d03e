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

/**
 * Writes the TypeScript of a manifest: `API_VERSION`, and `ApiSchema` with each action's input and output, each entity and each event.
 *
 * @throws ToolError `bad_manifest` for a schema that cannot be written, `not_installed` without `json-schema-to-typescript`
 */
export async function apiTypes({ version, providers }: Manifest): Promise<string> {
  const { compile } = await optionalPackage("json-schema-to-typescript", () => import("json-schema-to-typescript"))
  const definitions: Record<string, unknown> = {}
  /** Puts a schema where all are, so that each name is given once; gives what points at it. */
  function define(wanted: string, schema: JsonSchema): JsonSchema {
    let name = wanted
    for (let count = 2; Object.hasOwn(definitions, name); count++) name = `${wanted}${count}`
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
  try {
    const code = await compile(schema, "ApiSchema", {
      bannerComment: "",
      additionalProperties: false,
      style: { semi: false, printWidth: 120 },
      unreachableDefinitions: false,
      // Nothing that a manifest points at elsewhere is fetched.
      $refOptions: { resolve: { external: false } },
    })
    return `${BANNER}\n/** Of the manifest that this was written from: give it to createActionClient, which tells when the host has another. */\nexport const API_VERSION = ${JSON.stringify(version)}\n\n${code.trim()}\n`
  } catch (cause) {
    throw new ToolError("bad_manifest", "", `its types could not be written: ${reasonOf(cause)}`, { cause })
  }
}

/** The version that a written file was made from; undefined for what is no such file. */
export const versionOfTypes = (code: string): string | undefined => /^export const API_VERSION = "([^"\\]+)"$/m.exec(code)?.[1]

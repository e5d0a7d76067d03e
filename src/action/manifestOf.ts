import type { StandardSchemaV1 } from "@standard-schema/spec"
import { canonicalJson } from "../tool/canonicalJson.ts"
import { outputOf, parametersOf } from "../tool/parameters.ts"
import type { AnyOutput } from "../tool/tool.ts"
import type { JsonSchema } from "../tool/toolSpec.ts"
import { MANIFEST_FORMAT, type Manifest, type ManifestProvider, type ManifestType } from "./manifest.ts"
import type { ProviderType } from "./provider.ts"
import type { ProviderRegistry } from "./providerRegistry.ts"
import { toolIdOf } from "./toTool.ts"

/** How many hexadecimal digits of SHA-256 tell two manifests apart. */
const VERSION_LENGTH = 16

const written = (schema: StandardSchemaV1, id: string): JsonSchema => outputOf({ output: schema as AnyOutput }, id) ?? {}

const describeType =
  (providerId: string) =>
  ({ id, name, description, schema }: ProviderType): ManifestType => ({ id, name, description, schema: written(schema, toolIdOf(providerId, id)) })

/**
 * Describes a registry as a client needs it. The same registry gives the same version, whatever the order of keys.
 *
 * @throws ToolDefinitionError where a schema cannot be said as JSON Schema, or an action's input is no object
 */
export async function manifestOf(registry: ProviderRegistry): Promise<Manifest> {
  const providers = registry.providers.map((provider): ManifestProvider => {
    const { id, name, description, entities = [], events = [] } = provider
    const actions = registry.actions.filter((one) => one.provider === provider)
    return {
      id,
      name,
      description,
      actions: actions.map(({ functionName, action }) => ({
        id: action.id,
        functionName,
        name: action.name,
        description: action.description,
        input: parametersOf({ schema: action.input }, toolIdOf(id, action.id)),
        output: written(action.output, toolIdOf(id, action.id)),
      })),
      entities: entities.map(describeType(id)),
      events: events.map(describeType(id)),
    }
  })
  return { format: MANIFEST_FORMAT, version: (await digestOf(canonicalJson(providers))).slice(0, VERSION_LENGTH), providers }
}

/** A page over plain HTTP has no `crypto.subtle`: it gets a plain digest (FNV-1a, twice), which tells its own manifests apart. */
async function digestOf(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text)
  const { subtle } = crypto as Partial<Crypto>
  if (subtle) return Array.from(new Uint8Array(await subtle.digest("SHA-256", bytes)), (byte) => byte.toString(16).padStart(2, "0")).join("")
  const half = (seed: number): string => (bytes.reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193), seed) >>> 0).toString(16).padStart(8, "0")
  return half(0x811c9dc5) + half(0x050c5d1f)
}

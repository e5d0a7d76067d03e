import type { AnyApiSchema, ApiTools, UntypedApi } from "./apiSchema.ts"
import { aFunction, checkOptions } from "../lib/checkOptions.ts"
import { problemOfBaseUrl } from "./baseUrl.ts"
import { MANIFEST_PATH } from "./envelope.ts"
import { type ClientHeaders, createHostRequests } from "./hostRequests.ts"
import { type Manifest, readManifest } from "./manifest.ts"
import { remoteTool } from "./remoteTool.ts"
import { ToolError } from "./toolError.ts"
import { toolIdOf } from "./toTool.ts"

export interface StaleTypes {
  /** Of the manifest that the types were written from. */
  readonly expected: string
  /** Of the host's manifest. */
  readonly actual: string
}

export interface ActionClientOptions<Api extends AnyApiSchema = UntypedApi> {
  /** The host, with its `basePath`; a slash at the end does not matter. In browsers a path of the page's own origin, too: `/api`. */
  readonly baseUrl: string
  /** Go with each request; a function is asked each time. `@default` none */
  readonly headers?: ClientHeaders | undefined
  /** @default the global one, looked up at each request */
  readonly fetch?: typeof fetch | undefined
  /**
   * How often a call is sent again that got no whole answer, with the same Idempotency-Key, so that the host runs it once.
   *
   * @default 0
   */
  readonly retries?: number | undefined
  /** The generated file's `API_VERSION`: a manifest of another version is told to `onStale`. `@default` not compared */
  readonly version?: NoInfer<Api>["version"] | undefined
  /** Hears of types that are older, or newer, than the host. `@default` warns in the console */
  readonly onStale?: ((versions: StaleTypes) => void) | undefined
}

export interface ActionClient<Api extends AnyApiSchema = UntypedApi> {
  readonly baseUrl: string
  /** Asks the host what it has. @throws ToolError `network`, `bad_response`, `bad_manifest`, `unauthorized` and its like */
  manifest(options?: { readonly signal?: AbortSignal | undefined }): Promise<Manifest>
  /** The host's actions as tools, with the keys that they have on the host. */
  toTools(manifest: Manifest): ApiTools<Api>
}

const warnOfStaleTypes = ({ expected, actual }: StaleTypes): void =>
  console.warn(`This action client's types are from the manifest ${expected}, but the host has ${actual}. Run \`react-tool-client types\` again.`)

const isManifest = (value: unknown): boolean => Array.isArray((value as Partial<Manifest> | null | undefined)?.providers)

/** @throws TypeError which says what is wrong with the options, and what is right */
function checkClientOptions(options: ActionClientOptions<AnyApiSchema>): void {
  const problem = problemOfBaseUrl(options?.baseUrl, options?.fetch !== undefined)
  if (problem) throw new TypeError(`createActionClient ${problem}`)
  checkOptions<ActionClientOptions<AnyApiSchema>>("createActionClient", options, {
    baseUrl: { what: "where the host is", admits: (value) => typeof value === "string", isRequired: true },
    headers: { what: "headers, or a function that gives them", admits: (value) => typeof value === "function" || (typeof value === "object" && value !== null), isSecret: true },
    fetch: aFunction,
    retries: { what: "a whole number from 0 on", admits: (value) => Number.isInteger(value) && (value as number) >= 0 },
    version: { what: "the API_VERSION that the types were written with", admits: (value) => typeof value === "string" },
    onStale: aFunction,
  })
}

/**
 * Calls another process's actions as if they were tools of this one.
 *
 * @throws TypeError for an option that is missing or wrong
 * @typeParam Api - The `ApiSchema` that `react-tool-client types` writes: names, inputs and outputs are then typed.
 * @example
 * const client = createActionClient<ApiSchema>({ baseUrl: "https://api.example", version: API_VERSION })
 * const tools = client.toTools(await client.manifest())
 * await tools.demoAdd.execute({ a: 1, b: 2 }, { logger: console })
 */
export function createActionClient<Api extends AnyApiSchema = UntypedApi>(options: ActionClientOptions<Api>): ActionClient<Api> {
  checkClientOptions(options)
  const { baseUrl, headers, retries = 0, version: expected, onStale = warnOfStaleTypes } = options
  const ask = createHostRequests({ baseUrl, headers, fetch: options.fetch })
  return {
    baseUrl,
    async manifest({ signal } = {}) {
      const manifest = await readManifest(await ask({ path: MANIFEST_PATH, tool: "", signal }))
      if (expected !== undefined && manifest.version !== expected) onStale({ expected, actual: manifest.version })
      return manifest
    },
    toTools(manifest) {
      if (!isManifest(manifest)) throw new ToolError("bad_manifest", "", "toTools needs a manifest, as client.manifest() or readManifest gives it")
      const tools = manifest.providers.flatMap((provider) =>
        provider.actions.map((action) => [action.functionName, remoteTool({ id: toolIdOf(provider.id, action.id), action, ask, retries })] as const),
      )
      const byName = new Map(tools)
      if (byName.size < tools.length) throw new ToolError("bad_name", "", "two actions of the manifest have one function name; read it with readManifest")
      return Object.fromEntries(byName) as unknown as ApiTools<Api>
    },
  }
}

import type { StandardSchemaV1 } from "@standard-schema/spec"
import type { Tool } from "./tool.ts"

/** One action in the types that `react-tool-client types` writes. */
export interface ApiAction {
  readonly input: unknown
  readonly output: unknown
}

/** What a generated `ApiSchema` looks like: the manifest's version and, by function name, what each action takes and gives. */
export interface AnyApiSchema {
  readonly version: string
  readonly actions: { readonly [FunctionName in string]?: ApiAction }
}

/** Where no types were generated: any name may be there, and gives anything. */
export interface UntypedApi {
  readonly version: string
  readonly actions: Readonly<Record<string, ApiAction>>
}

/** What the action takes. */
export type ApiInput<Api extends AnyApiSchema, Name extends keyof Api["actions"]> = Api["actions"][Name] extends {
  readonly input: infer Input
}
  ? Input
  : unknown

/** What it gives. */
export type ApiOutput<Api extends AnyApiSchema, Name extends keyof Api["actions"]> = Api["actions"][Name] extends {
  readonly output: infer Output
}
  ? Output
  : unknown

/** A host's actions as tools, by function name. */
export type ApiTools<Api extends AnyApiSchema> = {
  readonly [Name in keyof Api["actions"]]: Tool<
    StandardSchemaV1<ApiInput<Api, Name>, ApiInput<Api, Name>>,
    StandardSchemaV1<ApiOutput<Api, Name>, ApiOutput<Api, Name>>
  >
}

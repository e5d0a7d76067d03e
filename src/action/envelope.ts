/** The action envelope: what a call and its response are on the wire. The client writes and the host reads it, and the other way round, by this one definition. */

import { z } from "zod"
import type { ToolItem } from "./items.ts"
import { TOOL_ERROR_CODES, type ToolErrorCode, type ToolIssue } from "./toolError.ts"
import type { ToolResumption } from "./tool.ts"
import { validateValue, type Validation } from "./validateValue.ts"

/** Where a host describes itself, below its base URL. */
export const MANIFEST_PATH = "/api/client/schema"

/** Below which a host takes calls: `POST {base}{ACTIONS_PATH}{functionName}`. */
export const ACTIONS_PATH = "/api/client/actions/"

/** By this header the host knows a call that is sent again (draft-ietf-httpapi-idempotency-key-header). */
export const IDEMPOTENCY_HEADER = "idempotency-key"

/** The body of a call. */
export interface ActionRequest {
  readonly input?: unknown
  /** The answer to an interrupt, when the call continues one. */
  readonly resumption?: ToolResumption | undefined
  /** The caller's items, so that the tool's look-ups find there what they would find here. */
  readonly items?: readonly ToolItem[] | undefined
}

/** What a call came to: the body of a 200. `items` are those that the call emitted. */
export type ActionResponse =
  | { readonly status: "completed"; readonly result?: unknown; readonly items: readonly ToolItem[] }
  | {
      readonly status: "interrupted"
      readonly message: string
      readonly data?: unknown
      readonly state?: unknown
      readonly items: readonly ToolItem[]
    }

/** The body of any other status. `items` were emitted before the call failed; in process they would be there too. */
export interface ActionErrorBody {
  readonly error: {
    readonly code: ToolErrorCode
    readonly message: string
    readonly issues?: readonly ToolIssue[] | undefined
  }
  readonly items?: readonly ToolItem[] | undefined
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whatever may be a key of an item stays in it: a zod object would drop `__proto__`. */
const item = z.custom<ToolItem>(
  (value) => isObject(value) && typeof value.type === "string" && value.type !== "",
  "an item is an object whose type is a non-empty string",
)
const items = z.array(item)

const request = z.object({
  input: z.unknown(),
  resumption: z.object({ state: z.unknown(), answer: z.unknown() }).optional(),
  items: items.optional(),
}) satisfies z.ZodType<ActionRequest>

const response = z.discriminatedUnion("status", [
  z.object({ status: z.literal("completed"), result: z.unknown(), items }),
  z.object({ status: z.literal("interrupted"), message: z.string(), data: z.unknown(), state: z.unknown(), items }),
]) satisfies z.ZodType<ActionResponse>

const issue = z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })

const errorBody = z.object({
  error: z.object({ code: z.enum(TOOL_ERROR_CODES), message: z.string(), issues: z.array(issue).optional() }),
  items: items.optional(),
}) satisfies z.ZodType<ActionErrorBody>

export const readActionRequest = (body: unknown): Promise<Validation<ActionRequest>> => validateValue(request, body)

export const readActionResponse = (body: unknown): Promise<Validation<ActionResponse>> => validateValue(response, body)

export const readActionError = (body: unknown): Promise<Validation<ActionErrorBody>> => validateValue(errorBody, body)

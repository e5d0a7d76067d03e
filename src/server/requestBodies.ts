/** The shape of each request's body, checked with zod: what comes out of here is what `src/wire/messages.ts` says. */
import { z } from "zod"
import { MAX_ACKS_PER_REQUEST, MAX_TTL_SECONDS, PROGRESS_MESSAGE_MAX_LENGTH } from "../wire/limits.ts"
import type { AckRequest, AnswerRequest, JsonSchema, PingRequest, RegisterRequest, UpdateRequest } from "../wire/messages.ts"
import { MAX_ID_LENGTH, type SessionServerLimits } from "./serverLimits.ts"
import { SessionServerError } from "./sessionServerError.ts"

/** `POST /v1/sessions/{sid}/tool-calls` */
export interface CallRequest {
  readonly tool: string
  readonly arguments: unknown
}


export interface RequestBodies {
  register(body: unknown): RegisterRequest
  update(body: unknown): UpdateRequest
  ping(body: unknown): PingRequest
  acks(body: unknown): AckRequest
  answer(body: unknown): AnswerRequest
  call(body: unknown): CallRequest
}

export type RequestBodyLimits = Pick<SessionServerLimits, "maxToolsPerClient" | "maxDescriptionLength" | "maxSchemaLength">

/** Issues that are told; a body of garbage would bring thousands. */
const MAX_ISSUES = 10

const pathOf = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text ? `${text}.${String(key)}` : String(key)),
    "",
  ) || "the body"

/** The names of the tools without which the set would be taken; `undefined` where something else is wrong, or one has no name. */
function toolsAtFault(issues: readonly z.core.$ZodIssue[], body: unknown): readonly string[] | undefined {
  const names = issues.map(({ path: [key, index] }) => {
    const tool = key === "tools" && typeof index === "number" ? (body as { readonly tools: readonly unknown[] }).tools[index] : undefined
    return (tool as { readonly name?: unknown } | null | undefined)?.name
  })
  return names.every((name) => typeof name === "string") ? [...new Set(names)] : undefined
}

function check<Shape extends z.ZodType>(schema: Shape, body: unknown): z.output<Shape> {
  const result = schema.safeParse(body ?? {})
  if (result.success) return result.data
  const issues = result.error.issues.slice(0, MAX_ISSUES).map((issue) => `${pathOf(issue.path)}: ${issue.message}`)
  const more = result.error.issues.length - issues.length
  const tools = toolsAtFault(result.error.issues, body)
  throw new SessionServerError(400, "invalid_request", `${issues.join("; ")}${more > 0 ? `; and ${more} more` : ""}`, { details: tools && { tools } })
}

/** Told before anything else is looked at, and with the number: a page then leaves out what is too many. */
function checkToolCount(body: unknown, max: number): void {
  const { tools } = (body ?? {}) as { readonly tools?: unknown }
  if (!Array.isArray(tools) || tools.length <= max) return
  throw new SessionServerError(400, "invalid_request", `tools: ${tools.length} are too many; the maximum for one client is ${max}`, { details: { max_tools: max } })
}

/** A repeated name would make one of the two tools unreachable. */
function reportRepeats(tools: readonly { name: string }[], context: z.RefinementCtx): void {
  const seen = new Set<string>()
  for (const [index, { name }] of tools.entries()) {
    if (seen.has(name)) context.addIssue({ code: "custom", path: [index, "name"], message: `"${name}" stands twice` })
    seen.add(name)
  }
}

type Problem = string | undefined

function sizeProblem(schema: JsonSchema, maxLength: number): Problem {
  const { length } = JSON.stringify(schema)
  return length > maxLength ? `must be at most ${maxLength} characters of JSON, not ${length}` : undefined
}

const rootProblem = (schema: JsonSchema): Problem =>
  schema["type"] === "object" ? undefined : 'must have `type: "object"` at its root'

export function createRequestBodies(limits: RequestBodyLimits): RequestBodies {
  const id = z.string().min(1).max(MAX_ID_LENGTH)
  const name = z.string().min(1).max(MAX_ID_LENGTH).regex(/^[A-Za-z0-9_-]*$/, "may hold only letters, digits, _ and -")
  // Taken as it is, never copied key by key: a key named __proto__ stays what it was.
  const jsonSchema = (check: (schema: JsonSchema) => Problem = () => undefined) =>
    z.custom<JsonSchema>().superRefine((value: unknown, context) => {
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
      const schema = value as JsonSchema
      const problem = isObject ? (check(schema) ?? sizeProblem(schema, limits.maxSchemaLength)) : "must be a JSON Schema object"
      if (problem) context.addIssue({ code: "custom", message: problem })
    })
  const hint = z.boolean().exactOptional()
  const tool = z.object({
    name,
    description: z.string().max(limits.maxDescriptionLength),
    parameters: jsonSchema(rootProblem),
    title: z.string().max(limits.maxDescriptionLength).exactOptional(),
    annotations: z
      .object({ readOnlyHint: hint, destructiveHint: hint, idempotentHint: hint, openWorldHint: hint, untrustedContentHint: hint })
      .exactOptional(),
    output: jsonSchema().exactOptional(),
  })
  const tools = z.array(tool).superRefine(reportRepeats)
  const revision = z.int().nonnegative()
  // A name that ends in `_`, or holds `__`, would make `client__<name>__<tool>` readable in two ways.
  const clientName = name.regex(/^(?!.*__)(?!.*_$)/, "may not hold __ nor end with _")
  const lifetime = z.discriminatedUnion("type", [
    z.object({ type: z.literal("ttl"), data: z.object({ seconds: z.number().min(1).max(MAX_TTL_SECONDS) }) }),
    z.object({ type: z.literal("never") }),
  ])
  const register = z.object({ name: clientName, instance_id: id, load_id: id, lifetime, tools, revision: revision.exactOptional() })
  const update = z.object({ revision, tools })
  const ping = z.object({ leaving: z.boolean().exactOptional(), suspended: z.boolean().exactOptional(), revision: revision.exactOptional() })
  const report = z.object({
    call_id: id,
    done: z.number(),
    total: z.number().exactOptional(),
    message: z.string().max(PROGRESS_MESSAGE_MAX_LENGTH).exactOptional(),
  })
  const acks = z.object({ call_ids: z.array(id).max(MAX_ACKS_PER_REQUEST), progress: z.array(report).max(MAX_ACKS_PER_REQUEST).exactOptional() })
  const answer = z.object({ call_id: id, text: z.string(), is_error: z.boolean() })
  const call = z.object({ tool: z.string().min(1), arguments: z.unknown().optional() })
  return {
    register(body) {
      checkToolCount(body, limits.maxToolsPerClient)
      return check(register, body)
    },
    update(body) {
      checkToolCount(body, limits.maxToolsPerClient)
      return check(update, body)
    },
    ping: (body) => check(ping, body),
    acks: (body) => check(acks, body),
    answer: (body) => check(answer, body),
    call(body) {
      const { tool: toolName, arguments: given } = check(call, body)
      return { tool: toolName, arguments: given ?? {} }
    },
  }
}

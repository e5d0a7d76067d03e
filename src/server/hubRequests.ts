/** Reads a session's frames: what comes out of here has the shapes of `src/hub/messages.ts`. */
import { z } from "zod"
import { errorText, type HubAction, type HubRequests, MAX_FUNCTIONS, MAX_MESSAGE_DEPTH } from "../hub/messages.ts"
import type { JsonSchema, JsonValue } from "../tool/toolSpec.ts"
import { MAX_HUB_NAME_LENGTH } from "./hubLimits.ts"
import { isDeeperThan } from "./readJsonBody.ts"

/** How a remote answered a call. */
export type RemoteOutcome = { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly error: string }

/** An action with its body, checked: a union on `action`. */
export type ReadRequest = {
  [Action in HubAction]: { readonly action: Action; readonly body: HubRequests[Action]["body"] }
}[HubAction]

/** Echoed as it came; a message without one is carried out, and its reply has none. */
export type Nonce = string | number | undefined

export type HubFrame =
  | { readonly type: "request"; readonly nonce: Nonce; readonly request: ReadRequest }
  | { readonly type: "result"; readonly requestId: string; readonly outcome: RemoteOutcome }
  | { readonly type: "refused"; readonly nonce: Nonce; readonly error: string }

const name = z.string().min(1).max(MAX_HUB_NAME_LENGTH)
const secret = z.string().min(1)

// Taken as it is, never copied key by key: a key named __proto__ stays what it was.
const jsonObject = z.custom<JsonSchema>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "must be an object",
)

const tools = z
  .array(z.object({ name, description: z.string(), parameters: jsonObject }))
  .max(MAX_FUNCTIONS)
  .superRefine((all, context) => {
    const seen = new Set<string>()
    for (const [index, tool] of all.entries()) {
      if (seen.has(tool.name)) context.addIssue({ code: "custom", path: [index, "name"], message: `'${tool.name}' stands twice` })
      seen.add(tool.name)
    }
  })

const BODIES: { readonly [Action in HubAction]: z.ZodType<HubRequests[Action]["body"]> } = {
  authenticate: z.union([z.object({ token: secret }), z.object({ username: z.string(), password: z.string() })]),
  "remote-connect": z.object({ remotename: name, tools, instance: name.exactOptional() }),
  "remote-update": z.object({ remotename: name, tools }),
  "remote-disconnect": z.object({ remotename: name }),
  "remote-list": z.unknown().transform(() => undefined),
  "remote-call": z.object({ remotename: name, function: name, args: z.unknown().transform((args) => args ?? {}) }),
  "send-agent-prompt": z.object({
    agentId: z.union([name, z.number()]),
    instruction: z.string(),
    options: jsonObject.exactOptional(),
  }),
}

const isAction = (action: string): action is HubAction => Object.hasOwn(BODIES, action)

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

function outcomeOf({ result, error }: Readonly<Record<string, unknown>>): RemoteOutcome {
  if (error != null) return { ok: false, error: textOf(error) }
  if (result === undefined) return { ok: false, error: "the remote answered with neither result nor error" }
  return { ok: true, value: result as JsonValue }
}

function parse(text: string): Readonly<Record<string, unknown>> | string {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return "the message is not JSON"
  }
  if (typeof message !== "object" || message === null || Array.isArray(message)) return "the message must be a JSON object"
  if (isDeeperThan(message, MAX_MESSAGE_DEPTH)) return `the message nests deeper than ${MAX_MESSAGE_DEPTH} levels`
  return message as Readonly<Record<string, unknown>>
}

/** Pure: reads one frame. Never throws. */
export function readHubFrame(text: string): HubFrame {
  const message = parse(text)
  if (typeof message === "string") return { type: "refused", nonce: undefined, error: message }
  const { action, requestId, body } = message
  const nonce = typeof message.nonce === "string" || typeof message.nonce === "number" ? message.nonce : undefined
  if (typeof action !== "string") return { type: "refused", nonce, error: "action must be a string" }
  if (action === "remote-call-result") {
    if (typeof requestId !== "string") return { type: "refused", nonce, error: "remote-call-result: requestId must be a string" }
    return { type: "result", requestId, outcome: outcomeOf(message) }
  }
  if (!isAction(action)) return { type: "refused", nonce, error: errorText.unknownAction(action.slice(0, MAX_HUB_NAME_LENGTH)) }
  const checked = BODIES[action].safeParse(body)
  if (checked.success) return { type: "request", nonce, request: { action, body: checked.data } as ReadRequest }
  const [issue] = checked.error.issues
  return { type: "refused", nonce, error: `${action}: ${["body", ...(issue?.path ?? [])].map(String).join(".")}: ${issue?.message ?? "wrong shape"}` }
}

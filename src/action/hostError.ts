import type { ActionErrorBody } from "./envelope.ts"
import type { ToolItem } from "./items.ts"
import type { ToolError, ToolErrorCode } from "./toolError.ts"

/** A response that is not made yet, so that it can be kept and given to more than one request. */
export interface HostReply {
  readonly status: number
  readonly body: unknown
}

/** "Client closed request": nobody reads it, it is for the host's logs. */
const ABORTED_STATUS = 499

/** The one place that decides what status a failure has. */
const STATUS: Partial<Readonly<Record<ToolErrorCode, number>>> = {
  invalid_input: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  limit: 413,
  aborted: ABORTED_STATUS,
  unavailable: 503,
}

/** @param status - `@default` by the code, 500 for what is the host's own fault */
export function errorReply({ code, problem, issues }: ToolError, items: readonly ToolItem[] = [], status?: number): HostReply {
  const body: ActionErrorBody = {
    error: { code, message: problem, ...(issues.length > 0 && { issues }) },
    ...(items.length > 0 && { items }),
  }
  return { status: status ?? STATUS[code] ?? 500, body }
}

export const toResponse = ({ status, body }: HostReply): Response =>
  Response.json(body, { status, headers: { "cache-control": "no-store" } })

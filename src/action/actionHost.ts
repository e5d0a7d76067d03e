import { aClock, aLogger, anyOrListed, aWholeNumber, checkOptions, hasMethods } from "../lib/checkOptions.ts"
import { type Clock, systemClock } from "../lib/clock.ts"
import { withGuardedSignal } from "../lib/guardedSignal.ts"
import { withTimeLimit } from "../lib/signals.ts"
import { urlPath } from "../lib/urlPath.ts"
import { canonicalJson } from "../tool/canonicalJson.ts"
import { ACTIONS_PATH, IDEMPOTENCY_HEADER, MANIFEST_PATH, readActionRequest } from "./envelope.ts"
import { createHostCors } from "./hostCors.ts"
import { errorReply, type HostReply, toResponse } from "./hostError.ts"
import { manifestOf } from "./manifestOf.ts"
import { createOnce } from "./onceByKey.ts"
import type { ProviderRegistry } from "./providerRegistry.ts"
import { readBody } from "./readBody.ts"
import { runAction } from "./runAction.ts"
import type { Services } from "./services.ts"
import type { Logger } from "./tool.ts"
import { ToolError } from "./toolError.ts"

/** The largest body of a call where the host sets no other, in bytes. */
export const MAX_BODY_BYTES: number = 1024 * 1024

/** How deep a call's body may nest: below what overflows a stack anywhere on the way. */
export const MAX_BODY_DEPTH = 200

/**
 * How long a call's outcome is kept for its Idempotency-Key, in milliseconds; in this process's memory, so that a call which is sent
 * again to another process of the host, or after a restart, may run again.
 */
export const IDEMPOTENCY_KEPT_MS: number = 10 * 60_000

/** How many outcomes are kept for their keys. */
export const IDEMPOTENCY_MAX_KEPT = 1_000

/** `authorize` may take so long, in milliseconds; then the caller is answered 503, well before proxies and people give up. */
export const AUTHORIZE_TIMEOUT_MS = 10_000

/** Who calls, or why not. */
export type Authorization =
  | { readonly status: "allowed"; readonly userId?: string | undefined }
  /** Nobody that is known: 401. */
  | { readonly status: "unauthorized"; readonly message?: string | undefined }
  /** Known, but not let in here: 403. */
  | { readonly status: "forbidden"; readonly message?: string | undefined }

/** @param functionName - What is called; undefined for the manifest. */
export type Authorize = (request: Request, functionName: string | undefined) => Authorization | Promise<Authorization>

export interface ActionHostOptions {
  readonly registry: ProviderRegistry
  /** What actions run with. `@default` the registry's */
  readonly services?: Services | undefined
  /**
   * Says who calls; one that throws, or says anything else, is answered 500, one that has said nothing after 10 s 503. `"anyone"` lets in
   * whoever reaches the host: one that only this machine, or something that checks, can reach.
   */
  readonly authorize: Authorize | "anyone"
  /** Stands before both paths: "/agents". `@default` "" */
  readonly basePath?: string | undefined
  /**
   * Pages of other origins that may call from a browser, as browsers write them (`https://app.example`), or `"*"` for all. Who calls is
   * still for `authorize` to say.
   *
   * @default none: pages of the host's own origin only
   */
  readonly allowedOrigins?: "*" | readonly string[] | undefined
  /** Bytes of a call's body. `@default` 1048576 (1 MiB) */
  readonly maxBodyBytes?: number | undefined
  /** @default console */
  readonly logger?: Logger | undefined
  /** @default the system's */
  readonly clock?: Clock | undefined
}

export interface ActionHost {
  /** Answers a request; anything but the manifest and calls is 404. Never rejects. */
  readonly fetch: (request: Request) => Promise<Response>
}

/**
 * Serves a registry's actions over HTTP, as a fetch handler: `GET {basePath}/api/client/schema` and
 * `POST {basePath}/api/client/actions/{functionName}`. What an action throws is told to the caller (its message, not its stack). A call
 * that comes again with its `Idempotency-Key` within ten minutes is answered from this process's memory: several processes behind one
 * address must send a caller to the same one.
 *
 * @throws TypeError for an option that is missing or wrong
 * @throws ToolDefinitionError from the first request on, as 500, where a schema cannot be said as JSON Schema
 */
export function createActionHost(options: ActionHostOptions): ActionHost {
  checkHostOptions(options)
  const { registry, services = registry.services, authorize, maxBodyBytes = MAX_BODY_BYTES } = options
  const { logger = console, clock = systemClock } = options
  const basePath = urlPath(options.basePath ?? "")
  const onError = (error: unknown): void => logger.error("a listener of an action's signal threw", error)
  const cors = createHostCors(options.allowedOrigins ?? [])
  const once = createOnce<HostReply>({ clock, keptMs: IDEMPOTENCY_KEPT_MS, maxKept: IDEMPOTENCY_MAX_KEPT, onError })
  const tools = registry.toTools(services)
  const names = new Set(registry.actions.map(({ functionName }) => functionName))
  // Asked for when it is needed, so that a schema that cannot be written stops no call; then kept.
  let manifest: ReturnType<typeof manifestOf> | undefined

  async function authorizationOf(asked: Authorize, request: Request, functionName: string | undefined): Promise<Authorization | undefined> {
    let limit: AbortSignal | undefined
    try {
      return await withTimeLimit(clock, AUTHORIZE_TIMEOUT_MS, async (signal) => {
        limit = signal
        return asked(request, functionName)
      })
    } catch (thrown) {
      if (!limit?.aborted) throw thrown
      throw new ToolError("unavailable", functionName ?? "", `authorize of the host did not answer within ${AUTHORIZE_TIMEOUT_MS / 1000} s; nothing has run, try again`)
    }
  }

  async function userOf(request: Request, functionName: string | undefined): Promise<string | undefined> {
    if (authorize === "anyone") return undefined
    const authorization = await authorizationOf(authorize, request, functionName)
    const tool = functionName ?? ""
    // It may be of JavaScript: what says nothing that is known lets nobody in.
    switch (authorization?.status) {
      case "allowed":
        return authorization.userId
      case "unauthorized":
        throw new ToolError("unauthorized", tool, authorization.message ?? "the host does not know the caller; send credentials in headers")
      case "forbidden":
        throw new ToolError("forbidden", tool, authorization.message ?? "the host does not let this caller do this")
      default:
        throw new TypeError('authorize of createActionHost gave no { status: "allowed" | "unauthorized" | "forbidden" }: nobody is let in.')
    }
  }

  async function call(request: Request, functionName: string): Promise<HostReply> {
    const userId = await userOf(request, functionName)
    const tool = names.has(functionName) ? (await tools)[functionName] : undefined
    if (!tool) throw new ToolError("not_found", functionName, "the host has no action of this name; read its manifest again")
    const body = await readBody(request, tool.id, maxBodyBytes, MAX_BODY_DEPTH)
    if (!body.ok) return errorReply(body.error, [], body.status)
    const read = await readActionRequest(body.value)
    if (!read.ok) throw new ToolError("invalid_input", tool.id, "the call's envelope cannot be read", { issues: read.issues })
    const run = (signal: AbortSignal): Promise<HostReply> => runAction({ tool, request: read.value, logger, userId, signal })
    const key = request.headers.get(IDEMPOTENCY_HEADER)
    if (key === null) return withGuardedSignal(request.signal, onError, run)
    return once({
      key: JSON.stringify([userId, functionName, key]),
      content: canonicalJson(read.value),
      tool: tool.id,
      signal: request.signal,
      run,
      isVoid: ({ status }) => status === errorReply(new ToolError("aborted", "", "")).status,
    })
  }

  function route(request: Request): Promise<HostReply> | HostReply {
    const { pathname } = new URL(request.url)
    const path = pathname.startsWith(basePath) ? pathname.slice(basePath.length) : ""
    const isCall = path.startsWith(ACTIONS_PATH)
    const method = isCall ? "POST" : "GET"
    if (!isCall && path !== MANIFEST_PATH) throw new ToolError("not_found", "", `there is nothing at ${pathname}`)
    if (request.method !== method) return errorReply(new ToolError("invalid_input", "", `${pathname} takes ${method} only`), [], 405)
    return isCall ? call(request, functionNameOf(path)) : describe(request)
  }

  async function reply(request: Request): Promise<HostReply> {
    try {
      return await route(request)
    } catch (thrown) {
      if (thrown instanceof ToolError) return errorReply(thrown)
      logger.error("the action host failed", thrown)
      return errorReply(new ToolError("failed", "", "the host failed; its log says why", { cause: thrown }))
    }
  }

  async function describe(request: Request): Promise<HostReply> {
    await userOf(request, undefined)
    return { status: 200, body: await (manifest ??= manifestOf(registry)) }
  }

  return {
    async fetch(request) {
      return cors.preflight(request) ?? cors.allow(request, toResponse(await reply(request)))
    },
  }
}

/** @throws TypeError which says what is wrong with the options, and what is right */
const checkHostOptions = (options: ActionHostOptions): void =>
  checkOptions<ActionHostOptions>("createActionHost", options, {
    registry: { what: "new ProviderRegistry({ providers })", admits: (value) => hasMethods(value, "toTools"), isRequired: true },
    services: { what: "the Services that actions run with", admits: (value) => hasMethods(value, "get") },
    authorize: {
      what: 'a function that says who calls, or "anyone" where whoever reaches the host may call its actions',
      admits: (value) => typeof value === "function" || value === "anyone",
      isRequired: true,
    },
    basePath: { what: 'a path like "/agents", with a slash before and none behind', admits: (value) => typeof value === "string" && /^(\/.*[^/])?$/.test(value) },
    allowedOrigins: anyOrListed,
    maxBodyBytes: aWholeNumber,
    logger: aLogger,
    clock: aClock,
  })

/** What cannot be decoded is the name of nothing. */
function functionNameOf(path: string): string {
  try {
    return decodeURIComponent(path.slice(ACTIONS_PATH.length))
  } catch {
    return path
  }
}

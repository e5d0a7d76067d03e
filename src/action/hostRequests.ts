import { reasonOf } from "../tool/reason.ts"
import { canSendTo } from "./baseUrl.ts"
import { readActionError } from "./envelope.ts"
import type { ToolItem } from "./items.ts"
import { ToolError, type ToolErrorCode } from "./toolError.ts"

/** What a client's every request carries: fixed, or asked for each time. */
export type ClientHeaders = HeadersInit | (() => HeadersInit | Promise<HeadersInit>)

export interface HostRequestsOptions {
  readonly baseUrl: string
  readonly headers: ClientHeaders | undefined
  /** @default the global one, looked up at each request */
  readonly fetch: typeof fetch | undefined
}

export interface HostRequest {
  readonly path: string
  /** The tool's id, for errors; empty for the manifest. */
  readonly tool: string
  readonly signal: AbortSignal | undefined
  /** Makes it a POST. */
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Hears of the items that a failed call emitted. */
  onItems?(items: readonly ToolItem[]): void
}

/** How much of an answer that is none an error shows, in characters. */
const SHOWN_LENGTH = 80

/** Gives the body of a 2xx as JSON. @throws ToolError of every code that a host has, `network`, `bad_response` or `aborted` */
export type AskHost = (request: HostRequest) => Promise<unknown>

/** What a status means where the answer is not the host's own: something in between speaks. */
function codeOfStatus(status: number): ToolErrorCode {
  if (status === 401) return "unauthorized"
  return status === 403 ? "forbidden" : "bad_response"
}

export function createHostRequests({ baseUrl, headers, fetch: ownFetch }: HostRequestsOptions): AskHost {
  const base = baseUrl.replace(/\/+$/, "")

  async function headersFor(tool: string): Promise<Headers> {
    try {
      return new Headers(typeof headers === "function" ? await headers() : headers)
    } catch (cause) {
      throw new ToolError("failed", tool, `nothing was sent: getting the headers failed: ${reasonOf(cause)}`, { cause })
    }
  }

  async function send({ path, tool, signal, body, headers: own }: HostRequest): Promise<{ readonly response: Response; readonly text: string }> {
    const url = base + path
    // One of the user's own may know where a path leads.
    if (!ownFetch && !canSendTo(url)) {
      throw new ToolError("failed", tool, `nothing was sent: the baseUrl "${baseUrl}" is relative, and there is no page here; pass createActionClient an absolute URL`)
    }
    const all = await headersFor(tool)
    for (const [name, value] of Object.entries({ accept: "application/json", ...own })) all.set(name, value)
    const init: RequestInit = { headers: all, method: "GET", ...(signal && { signal }) }
    if (body !== undefined) {
      all.set("content-type", "application/json")
      Object.assign(init, { method: "POST", body })
    }
    try {
      const response = await (ownFetch ?? globalThis.fetch)(url, init)
      return { response, text: await response.text() }
    } catch (cause) {
      if (signal?.aborted) throw new ToolError("aborted", tool, "the caller gave up; it may have run", { cause: signal.reason })
      throw new ToolError("network", tool, `${url} did not answer completely; it may have run: ${reasonOf(cause)}`, { cause })
    }
  }

  return async (request) => {
    const { tool, path } = request
    const { response, text } = await send(request)
    const { status, ok } = response
    const shown = `${base + path} answered ${status} with something that is not an action host's answer`
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch (cause) {
      const start = text.trim().slice(0, SHOWN_LENGTH)
      throw new ToolError(ok ? "bad_response" : codeOfStatus(status), tool, `${shown}; is baseUrl right? It begins: ${start || "(nothing)"}`, { cause })
    }
    if (ok) return body
    const read = await readActionError(body)
    if (!read.ok) throw new ToolError(codeOfStatus(status), tool, shown, { issues: read.issues })
    const { error, items = [] } = read.value
    request.onItems?.(items)
    throw new ToolError(error.code, tool, error.message, { issues: error.issues })
  }
}

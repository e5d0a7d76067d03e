import { ToolError } from "./toolError.ts"

/** A body that was refused; `status` says why more closely than the error's code does. */
export type ReadBody =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly status: number; readonly error: ToolError }

const refuse = (status: number, tool: string, problem: string, cause?: unknown): ReadBody => ({
  ok: false,
  status,
  error: new ToolError(status === 413 ? "limit" : "invalid_input", tool, problem, { cause }),
})

/** Walks with a list instead of recursion: what is looked for is just what would overflow the stack. */
function isDeeperThan(value: unknown, maxDepth: number): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true
    level = level.flatMap((item): unknown[] => (typeof item === "object" && item !== null ? Object.values(item) : []))
  }
  return false
}

/**
 * Reads a call's body as JSON. It must say that it is JSON: a page elsewhere can then not send it without a preflight.
 *
 * @param maxBytes - Bytes that are read at most; counted, since a `Content-Length` may be missing or wrong.
 * @param maxDepth - How deep its objects and arrays may nest.
 */
export async function readBody(request: Request, tool: string, maxBytes: number, maxDepth: number): Promise<ReadBody> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase()
  if (type !== "application/json") return refuse(415, tool, `the call must be sent with Content-Type: application/json, not ${type ?? "without one"}`)
  const decoder = new TextDecoder()
  let bytes = 0
  let text = ""
  try {
    for await (const chunk of request.body ?? []) {
      bytes += chunk.byteLength
      if (bytes > maxBytes) return refuse(413, tool, `the call is larger than ${maxBytes} bytes; send less, or raise maxBodyBytes of createActionHost`)
      text += decoder.decode(chunk, { stream: true })
    }
    const value: unknown = JSON.parse(text + decoder.decode())
    if (isDeeperThan(value, maxDepth)) return refuse(400, tool, `the call nests deeper than ${maxDepth} levels`)
    return { ok: true, value }
  } catch (cause) {
    return refuse(400, tool, cause instanceof SyntaxError ? "the call's body is not JSON" : "the call's body is incomplete", cause)
  }
}

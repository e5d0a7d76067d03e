/**
 * Which names the server may be addressed by. A page of another site can make its own name lead to this machine (DNS rebinding); its
 * requests then look like those of the server's own origin, but for the `Host`, which no page can choose.
 */
import { SessionServerError } from "./sessionServerError.ts"

/** Names without a port (`agents.example.com`, `127.0.0.1`, `[::1]`), or `"*"` for any. */
export type AllowedHosts = "*" | readonly string[]

/** What a machine calls itself; only these are good where only the machine itself can reach the server. */
export const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"]

/** Whether an address to listen at is reached by this machine alone. */
export const isLoopback = (address: string): boolean => address === "localhost" || address === "::1" || /^127\.\d+\.\d+\.\d+$/.test(address)

/** Without its port, as URLs write it; empty for what is no host. */
function nameOf(host: string): string {
  const url = `http://${host}`
  return URL.canParse(url) ? new URL(url).hostname : ""
}

/**
 * @returns what throws SessionServerError 403 for a request that is addressed by another name
 * @throws TypeError for what is no host name
 */
export function createHostCheck(allowed: AllowedHosts): (request: Request) => void {
  if (allowed === "*") return () => {}
  for (const host of allowed) {
    if (host === "" || nameOf(host) !== host.toLowerCase()) throw new TypeError(`allowedHosts: "${host}" is no host; write its name alone, like agents.example.com, without a port.`)
  }
  const list = new Set(allowed.map((host) => host.toLowerCase()))
  return (request) => {
    // A framework may put a name of its own into the URL; a server that was asked without a Host (HTTP/2) has it there.
    const name = nameOf(request.headers.get("host") ?? new URL(request.url).host)
    if (list.has(name)) return
    throw new SessionServerError(
      403,
      "host_not_allowed",
      `This server is not to be addressed as ${JSON.stringify(name)}. If the name is yours, add it to \`allowedHosts\`.`,
    )
  }
}

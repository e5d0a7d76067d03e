/**
 * Which names the server may be addressed by. A page of another site can make its own name lead to this machine (DNS rebinding); its
 * requests then look like those of the server's own origin, but for the `Host`, which no page can choose.
 */
import { printable } from "./printable.ts"
import type { RequestHead } from "./serverRequest.ts"
import { SessionServerError } from "./sessionServerError.ts"

/** Names without a port (`agents.example.com`, `127.0.0.1`, `[::1]`), or `"*"` for any. */
export type AllowedHosts = "*" | readonly string[]

/** What a machine calls itself; only these are good where only the machine itself can reach the server. */
export const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"]

/** Whether an address to listen at is reached by this machine alone. */
export const isLoopback = (address: string): boolean => address === "localhost" || address === "::1" || /^127\.\d+\.\d+\.\d+$/.test(address)

/** The names that are good at an address which only the machine itself can reach; undefined for any other address. */
export function loopbackHosts(address: string): readonly string[] | undefined {
  if (!isLoopback(address)) return undefined
  return address.startsWith("127.") ? [...LOOPBACK_HOSTS, address] : LOOPBACK_HOSTS
}

/** Without its port, as URLs write it; empty for what is no host. */
function nameOf(host: string): string {
  const url = `http://${host}`
  return URL.canParse(url) ? new URL(url).hostname : ""
}

/** Says of a name that it is none of the server's. */
export const hostRefusal = (host: string): string => `This server does not accept the host name ${printable(host)}. If the name is yours, add it to \`allowedHosts\`.`

export interface HostCheck {
  /** @param host - As the `Host` header has it. */
  admits(host: string): boolean
  /** @throws SessionServerError 403 for a request that is addressed by another name */
  check(request: RequestHead): void
}

/** @throws TypeError for what is no host name */
export function createHostCheck(allowed: AllowedHosts): HostCheck {
  for (const host of allowed === "*" ? [] : allowed) {
    if (host === "" || nameOf(host) !== host.toLowerCase()) throw new TypeError(`allowedHosts: "${host}" is not a host; write only its name, like agents.example.com, without a port.`)
  }
  const list = new Set((allowed === "*" ? [] : allowed).map((host) => host.toLowerCase()))
  // One server is asked by the same name again and again.
  let lastAdmitted: string | undefined
  const admits = (host: string): boolean => {
    if (allowed === "*" || host === lastAdmitted) return true
    if (!list.has(nameOf(host))) return false
    lastAdmitted = host
    return true
  }

  return {
    admits,
    check(request) {
      // A framework may put a name of its own into the URL; a server that was asked without a Host (HTTP/2) has it there.
      const host = request.headers.get("host") ?? new URL(request.url).host
      if (admits(host)) return
      throw new SessionServerError(403, "host_not_allowed", hostRefusal(host))
    },
  }
}

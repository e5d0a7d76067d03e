import { callSafely } from "../lib/callSafely.ts"
import { aClock, aFunction, anyOrListed, checkOptions, hasMethods } from "../lib/checkOptions.ts"
import { type Clock, systemClock } from "../lib/clock.ts"
import { urlPath } from "../lib/urlPath.ts"
import { MAX_MESSAGE_BYTES } from "../hub/messages.ts"
import { type AllowedOrigins, createCors } from "./cors.ts"
import { type Authenticate, serveHubSocket } from "./hubConnection.ts"
import { type AllowedHosts, createHostCheck, hostRefusal } from "./hosts.ts"
import type { HubAgents } from "./hubPrompts.ts"
import { createHubUser, type HubUser, type WatchedRemotes } from "./hubUser.ts"
import { aServerLogger, consoleLogger, safeLogger, type ServerLogger } from "./sessionServerOptions.ts"
import { refuseUpgrade, takeUpgrades, upgradePath, type UpgradeSource, type UpgradeTaker } from "./upgrades.ts"

export interface HubServerOptions {
  /** Whose session it is, by a token or a user name and a password; `null` refuses it. */
  readonly authenticate: Authenticate
  /** Agents that sessions may prompt, by id. @default none */
  readonly agents?: HubAgents | undefined
  /** Pages of other origins that may connect; those of the hub's own host always may. @default none */
  readonly allowedOrigins?: AllowedOrigins | undefined
  /**
   * Names by which the hub may be addressed, without a port, or `"*"`: others are refused, so that no page elsewhere can make a name of its
   * own lead here (DNS rebinding), which then counts as the hub's own origin. Set it where the hub is reached without a proxy that knows its names.
   * @default "*"; under `serve()` the server's own
   */
  readonly allowedHosts?: AllowedHosts | undefined
  /** @default the machine's clock */
  readonly clock?: Clock | undefined
  /** @default console */
  readonly logger?: ServerLogger | undefined
}

/** A hub: users' sessions over WebSocket, the remotes that they serve, and the agents that use those. */
export interface HubServer {
  /**
   * Listens to the server's upgrades of one path. Those of others are left to whoever else listens to them; where nobody does, a WebSocket is
   * refused with 404 and any other request answered as if it had not asked. Rejects with a TypeError for what is no server or no path, and
   * with an Error where the hub listens there already, or is closed.
   *
   * @param path - Begins with a slash. `@default` "/ws"
   * @returns what stops it and ends its sessions
   */
  attach(http: UpgradeSource, path?: string): Promise<() => void>
  /** A user's remotes, for agents that run in this process without a prompt over a socket. */
  remotesOf(userId: string): WatchedRemotes
  /** Ends every session and listens no more; resolves when all are gone. */
  close(): Promise<void>
}

/** Where a hub listens unless it is told another path. */
const HUB_PATH = "/ws"

/** CORS does not apply to WebSocket: any page may try. No Origin is no browser, and goes on to `authenticate`. */
function isAllowed(origin: string | undefined, host: string | undefined, allowed: AllowedOrigins): boolean {
  if (origin === undefined || allowed === "*" || allowed.includes(origin)) return true
  return URL.canParse(origin) && new URL(origin).host === host
}

/** @throws TypeError which says what is wrong with the options, and what is right */
function checkHubServerOptions(options: Partial<HubServerOptions>): void {
  checkOptions<HubServerOptions>("createHubServer", options, {
    authenticate: { what: "a function that gives the id of the user whose token, or user name and password, these are, or null", admits: aFunction.admits, isRequired: true },
    agents: { what: "an object of agents by id: { helper: { tools, run } }", admits: (value) => typeof value === "object" && value !== null && !Array.isArray(value) },
    allowedOrigins: anyOrListed,
    allowedHosts: anyOrListed,
    clock: aClock,
    logger: aServerLogger,
  })
  for (const [id, agent] of Object.entries<unknown>(options.agents ?? {})) {
    const { tools = [] } = (agent ?? {}) as { tools?: unknown }
    if (!hasMethods(agent, "run")) throw new TypeError(`createHubServer: the agent "${id}" has no function \`run\`.`)
    if (!Array.isArray(tools)) throw new TypeError(`createHubServer: the agent "${id}" must have a list as \`tools\`, or none.`)
  }
}

/**
 * Creates a hub; `attach` serves it.
 *
 * @throws TypeError for an option that is missing or wrong.
 * @example
 * const hub = createHubServer({ authenticate: ({ token }) => userOfToken(token) })
 * await hub.attach(http)
 */
export function createHubServer(options: HubServerOptions): HubServer {
  checkHubServerOptions(options)
  const { authenticate, agents = {}, allowedOrigins = [], clock = systemClock } = options
  createCors(allowedOrigins)
  const hosts = createHostCheck(options.allowedHosts ?? "*")
  const logger = safeLogger(options.logger ?? consoleLogger)
  const users = new Map<string, HubUser>()
  const detachers = new Set<() => void>()
  /** The paths of each server that are listened to: two of one would both answer an upgrade. */
  const attached = new Map<unknown, Set<string>>()
  /** What each open socket's end resolves. */
  const open = new Set<Promise<void>>()
  let sockets = 0
  let calls = 0
  let isClosed = false
  const nextNumber = (): number => calls++

  /** By user: they outlive the user's sessions. */
  const watchers = new Map<string, Set<{ readonly listener: () => void }>>()
  const tellWatchers = (userId: string): void => {
    for (const { listener } of [...(watchers.get(userId) ?? [])]) callSafely(listener, undefined, (error) => logger.error("A listener of remotes threw.", error))
  }

  const nobody = createHubUser(clock, nextNumber, () => {})
  const userOf = (userId: string): HubUser => users.get(userId) ?? nobody

  return {
    async attach(http, wanted = HUB_PATH) {
      const { WebSocketServer } = await import("ws")
      if (isClosed) throw new Error("The hub is closed; create another.")
      if (typeof http?.on !== "function") throw new TypeError("hub.attach needs a server of node:http, or node:https.")
      if (typeof wanted !== "string" || !wanted.startsWith("/") || /[?#]/.test(wanted)) {
        throw new TypeError(`hub.attach cannot listen to the path ${JSON.stringify(wanted)}; write it like "/ws".`)
      }
      const path = urlPath(wanted)
      const paths = attached.get(http) ?? new Set()
      if (paths.has(path)) throw new Error(`The hub is attached to "${wanted}" of this server already.`)
      attached.set(http, paths.add(path))
      const server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES })

      const take: UpgradeTaker["take"] = (incoming, duplex, head) => {
        const { origin, host } = incoming.headers
        if (!hosts.admits(host ?? "")) return refuseUpgrade(duplex, 403, hostRefusal(host ?? ""))
        if (!isAllowed(origin, host, allowedOrigins)) {
          return refuseUpgrade(duplex, 403, `Pages of the origin "${origin}" may not use this hub. Add it to \`allowedOrigins\` of createHubServer.`)
        }
        server.handleUpgrade(incoming, duplex, head, (socket) => {
          const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
          open.add(closed)
          void closed.then(() => open.delete(closed))
          serveHubSocket({
            socket,
            order: sockets++,
            clock,
            authenticate,
            agents,
            logger,
            enter(userId, member) {
              const user = users.get(userId) ?? createHubUser(clock, nextNumber, () => tellWatchers(userId))
              users.set(userId, user)
              user.join(member)
              return user
            },
            leave(userId, member) {
              const user = userOf(userId)
              user.leave(member)
              if (user.isEmpty) users.delete(userId)
            },
          })
        })
      }

      const stopTaking = takeUpgrades(http, { takes: (incoming) => upgradePath(incoming) === path, take })
      const detach = (): void => {
        detachers.delete(detach)
        paths.delete(path)
        stopTaking()
        for (const socket of server.clients) socket.terminate()
        server.close()
      }
      detachers.add(detach)
      return detach
    },
    // Looked up at each call: the record ends with the user's last session.
    remotesOf: (userId) => ({
      list: () => userOf(userId).list(),
      functions: (remotename) => userOf(userId).functions(remotename),
      call: (remotename, name, args) => userOf(userId).call(remotename, name, args),
      watch(listener) {
        const watcher = { listener }
        const ofUser = watchers.get(userId) ?? new Set()
        watchers.set(userId, ofUser.add(watcher))
        return () => {
          ofUser.delete(watcher)
          if (ofUser.size === 0 && watchers.get(userId) === ofUser) watchers.delete(userId)
        }
      },
    }),
    async close() {
      isClosed = true
      for (const detach of [...detachers]) detach()
      await Promise.all(open)
    },
  }
}

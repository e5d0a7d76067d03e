import type { WebSocket } from "ws"
import type { Clock } from "../lib/clock.ts"
import { createGuardedController } from "../lib/guardedController.ts"
import { AUTHENTICATE_TIMEOUT_MS, type Credentials, MAX_MESSAGE_BYTES } from "../hub/messages.ts"
import { isTooLarge } from "../hub/messageSize.ts"
import { RemoteError } from "../hub/remoteError.ts"
import { END_ABOVE_BYTES, HUB_PING_MS, MAX_RUNNING_PROMPTS, PAUSE_ABOVE_BYTES, RESUME_CHECK_MS } from "./hubLimits.ts"
import { type HubAgents, runPrompt } from "./hubPrompts.ts"
import { type HubFrame, type Nonce, readHubFrame, type ReadRequest } from "./hubRequests.ts"
import type { HubMember, HubUser } from "./hubUser.ts"
import type { ServerLogger } from "./sessionServerOptions.ts"

/** Why the hub ends a socket (RFC 6455 §7.4.1; 1013 is IANA's "try again later"). */
const POLICY_VIOLATION = 1008
const INTERNAL_ERROR = 1011
const TRY_AGAIN_LATER = 1013

/** Gives the id of the user whose session this is, a non-empty string, or null to refuse it. */
export type Authenticate = (credentials: {
  readonly token?: string
  readonly username?: string
  readonly password?: string
}) => string | null | Promise<string | null>

export interface HubConnectionOptions {
  readonly socket: WebSocket
  readonly order: number
  readonly clock: Clock
  readonly authenticate: Authenticate
  readonly agents: HubAgents
  readonly logger: ServerLogger
  /** The user's record, made when it is the first session. */
  enter(userId: string, member: HubMember): HubUser
  leave(userId: string, member: HubMember): void
}

/** A session that has said whose it is. */
interface Entered {
  readonly userId: string
  readonly user: HubUser
}

/** Serves one socket until it closes. */
export function serveHubSocket(options: HubConnectionOptions): void {
  const { socket, clock, logger } = options
  // Agents are users' code.
  const closed = createGuardedController((error) => logger.error("A listener of an agent's signal threw.", error))
  let entered: Entered | undefined
  let isAuthenticating = false
  let isAlive = true
  let prompts = 0

  function send(message: object): void {
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount > END_ABOVE_BYTES) {
      socket.close(TRY_AGAIN_LATER, "Too many unread bytes.")
      socket.terminate()
      return
    }
    socket.send(JSON.stringify(message))
    if (socket.bufferedAmount > PAUSE_ABOVE_BYTES && !socket.isPaused) pauseUntilRead()
  }

  /** Who does not read what it is sent is not read from either. */
  function pauseUntilRead(): void {
    socket.pause()
    const look = (): void => {
      if (socket.bufferedAmount <= PAUSE_ABOVE_BYTES / 2) socket.resume()
      else if (socket.readyState === socket.OPEN) clock.setTimeout(look, RESUME_CHECK_MS)
    }
    clock.setTimeout(look, RESUME_CHECK_MS)
  }

  const member: HubMember = {
    order: options.order,
    get isCongested() {
      return socket.bufferedAmount > PAUSE_ABOVE_BYTES
    },
    send,
  }

  async function authenticate(credentials: Credentials): Promise<object> {
    if (entered) throw new RemoteError("failed", "already authenticated")
    if (isAuthenticating) throw new RemoteError("failed", "another authentication is under way")
    isAuthenticating = true
    try {
      const userId: unknown = await options.authenticate(credentials)
      // It may be of JavaScript: what is no id lets nobody in.
      if (userId === null || userId === undefined) throw new RemoteError("failed", "authentication failed")
      if (typeof userId !== "string" || userId === "") throw new TypeError("authenticate of createHubServer must return a user's id, a non-empty string, or null.")
      if (closed.signal.aborted) return {}
      entered = { userId, user: options.enter(userId, member) }
      clock.clearTimeout(patience)
      return { message: "authenticated" }
    } finally {
      isAuthenticating = false
    }
  }

  async function prompt({ userId, user }: Entered, body: Parameters<typeof runPrompt>[1]): Promise<object> {
    if (prompts >= MAX_RUNNING_PROMPTS) throw new RemoteError("failed", `${MAX_RUNNING_PROMPTS} prompts of this session run already`)
    prompts++
    try {
      return { result: await runPrompt(options.agents, body, { userId, signal: closed.signal, remotes: user, logger }) }
    } finally {
      prompts--
    }
  }

  /** What is replied beside the nonce. Actions on remotes are done within the frame that asked, in order. */
  function act(request: ReadRequest): object | Promise<object> {
    if (request.action === "authenticate") return authenticate(request.body)
    if (!entered) throw new RemoteError("failed", "not authenticated: the first action is authenticate")
    const { user } = entered
    switch (request.action) {
      case "remote-connect":
        user.connect(member, request.body)
        return { message: "remote connected", remotename: request.body.remotename }
      case "remote-update":
        user.update(member, request.body.remotename, request.body.tools)
        return { message: "remote updated", remotename: request.body.remotename }
      case "remote-disconnect":
        user.disconnect(request.body.remotename)
        return { message: "remote disconnected", remotename: request.body.remotename }
      case "remote-list":
        return { remotes: user.list() }
      case "remote-call": {
        const { remotename, function: name, args } = request.body
        return user.call(remotename, name, args).then((result) => ({ result }))
      }
      case "send-agent-prompt":
        return prompt(entered, request.body)
      default:
        return request satisfies never
    }
  }

  /** No message is larger than the client's may be: it would be one that not every client takes. */
  function reply(nonce: Nonce, value: object): void {
    if (!isTooLarge(JSON.stringify({ ...value, nonce }))) return send({ ...value, nonce })
    send({ error: `the reply is larger than the ${MAX_MESSAGE_BYTES} bytes that a message may have`, nonce })
  }

  function refuse(nonce: Nonce, error: unknown): void {
    if (error instanceof RemoteError) return send({ error: error.message, nonce })
    logger.error("The hub failed.", error)
    // Nobody can say whether the credentials were right: the client tries again.
    if (!entered) return socket.close(INTERNAL_ERROR, "The hub could not check the credentials.")
    send({ error: "the hub failed; see its log", nonce })
  }

  function onFrame(frame: HubFrame): void {
    switch (frame.type) {
      case "result":
        return entered?.user.settle(member, frame.requestId, frame.outcome)
      case "refused":
        return send({ error: frame.error, nonce: frame.nonce })
      case "request": {
        const { nonce, request } = frame
        try {
          const acted = act(request)
          if (!(acted instanceof Promise)) return reply(nonce, acted)
          return void acted.then((value) => reply(nonce, value)).catch((error: unknown) => refuse(nonce, error))
        } catch (error) {
          return refuse(nonce, error)
        }
      }
      default:
        return frame satisfies never
    }
  }

  const patience = clock.setTimeout(() => socket.close(POLICY_VIOLATION, "Not authenticated in time."), AUTHENTICATE_TIMEOUT_MS)
  let pingTimer: unknown
  function ping(): void {
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
    pingTimer = clock.setTimeout(ping, HUB_PING_MS)
  }
  pingTimer = clock.setTimeout(ping, HUB_PING_MS)

  socket.on("pong", () => (isAlive = true))
  // Of a message over the limit `ws` closes the socket by itself (1009), after this.
  socket.on("error", () => {})
  socket.on("message", (data: Buffer, isBinary) => {
    isAlive = true
    onFrame(isBinary ? { type: "refused", nonce: undefined, error: "a message must be a text frame" } : readHubFrame(data.toString()))
  })
  socket.once("close", () => {
    clock.clearTimeout(patience)
    clock.clearTimeout(pingTimer)
    closed.abort(new RemoteError("closed", "The session that prompted is closed."))
    if (entered) options.leave(entered.userId, member)
  })
}

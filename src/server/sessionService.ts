/**
 * What can be asked of the server, in process and over HTTP alike: each command is one step on one session in the store.
 * Knows no HTTP; who may ask has been decided before.
 */
import { randomId } from "../lib/randomId.ts"
import type { AckRequest, AnswerRequest, PingRequest, RegisterRequest, RegisterResponse, UpdateRequest } from "../wire/messages.ts"
import { ackCalls, answerCall, cancelCall, createCall, getCall, type NewCall, noteProgress } from "./calls.ts"
import { sessionNotFound } from "./callWaiter.ts"
import { modelTools, type ModelTool } from "./modelTools.ts"
import { refuseRevoked, refuseRevokedSession, revokeSession, revokeToken } from "./revocation.ts"
import { ackedEvents, observedStep, type Step } from "./observedStep.ts"
import type { ServerEvents, Tell } from "./serverEvents.ts"
import type { SessionServerLimits } from "./serverLimits.ts"
import { type Change, inOrder, newSession, type RevokedToken, type SessionState, type ToolClientRecord } from "./sessionState.ts"
import type { SessionStore, Transition, UpdateOptions } from "./sessionStore.ts"
import { sweepSession } from "./sweepSession.ts"
import type { TokenClaims } from "./tokens.ts"
import { deleteToolClient, getToolClient, pingToolClient, registerToolClient, renewToolClient, updateTools } from "./toolClients.ts"

/** A page's access to its session, as its token says. Every command of a page rejects with 401 `token_revoked` when it was taken back. */
export type Access = TokenClaims

/** Who asks for a call, as observers are told it. */
export type Caller = Pick<ServerEvents["call.requested"], "who" | "traceparent">

export interface SessionService {
  /** Creates the session, also again after it was revoked, or keeps it at least until `expiresAt`; gives until when its tokens are revoked (both milliseconds since the epoch). */
  create(sessionId: string, expiresAt: number): Promise<number>
  /** The same, but rejects with `session_revoked` for one that was. */
  open(sessionId: string, expiresAt: number): Promise<number>
  /** Lets a page in: opens its session where it is not known. */
  enter(access: Access): Promise<void>
  register(access: Access, request: RegisterRequest): Promise<RegisterResponse>
  update(access: Access, clientId: string, request: UpdateRequest): Promise<void>
  ping(access: Access, clientId: string, request: PingRequest): Promise<void>
  ack(access: Access, clientId: string, request: AckRequest): Promise<void>
  answer(access: Access, clientId: string, request: AnswerRequest): Promise<void>
  remove(access: Access, clientId: string): Promise<void>
  tools(sessionId: string): Promise<readonly ModelTool[]>
  /** Creates a call, or finds the one of the same idempotency key; gives its id. @param call.callId - `@default` one at random */
  call(sessionId: string, call: Omit<NewCall, "callId"> & Partial<Pick<NewCall, "callId">>, caller: Caller): Promise<string>
  cancel(sessionId: string, callId: string): Promise<void>
  setRunning(sessionId: string, isRunning: boolean): Promise<void>
  revokeToken(sessionId: string, token: RevokedToken): Promise<void>
  /** @param expiresAt - By then the last of its tokens has ended. */
  revokeSession(sessionId: string, expiresAt: number): Promise<void>
  /** Does what time has brought due. */
  sweep(sessionId: string): Promise<void>
}

export interface SessionServiceOptions {
  readonly store: SessionStore
  readonly limits: SessionServerLimits
  readonly tell: Tell
  /** Whether anybody hears what is told. */
  readonly isObserved: boolean
}

export function createSessionService({ store, limits, tell, isObserved }: SessionServiceOptions): SessionService {
  /** Runs a step, and tells what it was: as the store ran it last, which is what it has written. */
  async function update<Result>(sessionId: string, transition: Transition<Result>, options?: UpdateOptions): Promise<Result> {
    if (!isObserved) return store.update(sessionId, transition, options)
    let step: Step | undefined
    const result = await store.update(sessionId, (before, now) => {
      const outcome = transition(before, now)
      step = { before, after: outcome.session, events: outcome.events, now }
      return outcome
    }, options)
    if (step) for (const event of observedStep(sessionId, step)) tell(event)
    return result
  }

  const opened = (session: SessionState | undefined, sessionId: string, expiresAt: number): SessionState => {
    if (!session) return newSession(sessionId, expiresAt)
    return session.expiresAt >= expiresAt ? session : { ...session, expiresAt }
  }

  /** A step of a page on its session, with a result. A good token opens its session again, so a restarted server needs no memory. */
  const byPage = <Result>(
    access: Access,
    step: (session: SessionState, now: number) => Change & { result: Result },
    options?: UpdateOptions,
  ): Promise<Result> =>
    update(
      access.sessionId,
      (session, now) => {
        const current = opened(session, access.sessionId, access.expiresAt)
        refuseRevoked(current, access)
        return step(current, now)
      },
      options,
    )

  /** A step of one tool client, which is a sign of its life. */
  const byClient = <Result = undefined>(
    access: Access,
    clientId: string,
    step: (session: SessionState, client: ToolClientRecord, now: number) => Change & { result: Result },
    options?: UpdateOptions,
  ): Promise<Result> =>
    byPage(
      access,
      (session, now) => {
        const renewed = renewToolClient(session, getToolClient(session, clientId), now)
        return step(renewed, getToolClient(renewed, clientId), now)
      },
      options,
    )

  /** A step of the agent, on a session that must be there. */
  const byAgent = <Result>(
    sessionId: string,
    step: (session: SessionState, now: number) => Change & { result: Result },
  ): Promise<Result> =>
    update(sessionId, (session, now) => {
      if (!session) throw sessionNotFound(sessionId)
      return step(session, now)
    })

  /** A step that is its own result. */
  const silently = (change: Change): Change & { result: undefined } => ({ ...change, result: undefined })

  return {
    create: (sessionId, expiresAt) =>
      update(sessionId, (known) => {
        const current = opened(known, sessionId, expiresAt)
        const session = current.isRevoked ? { ...current, isRevoked: false } : current
        return { session, events: [], result: session.revokedUntil }
      }),
    open: (sessionId, expiresAt) =>
      update(sessionId, (known) => {
        const session = opened(known, sessionId, expiresAt)
        refuseRevokedSession(session)
        return { session, events: [], result: session.revokedUntil }
      }),
    enter: (access) => byPage(access, (session) => ({ session, events: [], result: undefined })),
    register(access, request) {
      const clientId = randomId()
      return byPage(access, (session, now) => {
        const { client, ...change } = registerToolClient(session, clientId, request, limits, now)
        return { ...change, result: { id: client.id, name: client.name } }
      })
    },
    update: (access, clientId, request) => byClient(access, clientId, (session, client) => silently(updateTools(session, client, request, limits))),
    ping: (access, clientId, request) => byClient(access, clientId, (session, client, now) => silently(pingToolClient(session, client, request, now))),
    async ack(access, clientId, request) {
      const events = await byClient(
        access,
        clientId,
        (session, client, now) => {
          const { acked, ...confirmed } = ackCalls(session, client, request.call_ids)
          const change = request.progress ? inOrder(session, () => confirmed, (current) => noteProgress(current, client, request.progress ?? [])) : confirmed
          return { ...change, result: isObserved ? ackedEvents(access.sessionId, acked, now) : [] }
        },
        // The answer of a quick tool comes right behind, and is not to wait for the ack's way.
        { isPatient: !request.progress?.length },
      )
      for (const event of events) tell(event)
    },
    answer: (access, clientId, request) => byClient(access, clientId, (session, client) => silently(answerCall(session, client, request, limits))),
    remove: (access, clientId) =>
      byPage(access, (session, now) => {
        const client = session.clients.find(({ id }) => id === clientId)
        const change = client ? deleteToolClient(session, client, limits, now) : { session, events: [] }
        return { ...change, result: undefined }
      }),
    async tools(sessionId) {
      const session = await store.read(sessionId)
      if (!session) throw sessionNotFound(sessionId)
      return modelTools(session)
    },
    async call(sessionId, { callId = randomId(), ...call }, caller) {
      const record = await byAgent(sessionId, (session, now) => {
        const { callId: id, ...change } = createCall(session, { ...call, callId }, limits, now)
        return { ...change, result: getCall(change.session, id) }
      })
      tell({ type: "call.requested", sessionId, callId: record.id, clientId: record.clientId, tool: record.tool, ...caller })
      return record.id
    },
    cancel: (sessionId, callId) =>
      byAgent(sessionId, (session) => ({ ...cancelCall(session, callId, limits), result: undefined })),
    setRunning: (sessionId, isRunning) =>
      byAgent(sessionId, (session) => {
        if (session.running === isRunning) return { session, events: [], result: undefined }
        return {
          session: { ...session, running: isRunning },
          events: [{ type: "session.running", data: { running: isRunning } }],
          result: undefined,
        }
      }),
    async revokeToken(sessionId, token) {
      await byAgent(sessionId, (session, now) => ({ ...revokeToken(session, token, now), result: undefined }))
      tell({ type: "token.revoked", sessionId, tokenId: token.id })
    },
    async revokeSession(sessionId, expiresAt) {
      await update(sessionId, (known, now) => {
        const session = opened(known, sessionId, expiresAt)
        return { ...revokeSession(session, expiresAt, limits, now), result: undefined }
      })
      tell({ type: "session.revoked", sessionId })
    },
    sweep: (sessionId) =>
      update(sessionId, (session, now) => {
        if (!session) return { session, events: [], result: undefined }
        return { ...sweepSession(session, limits, now), result: undefined }
      }),
  }
}

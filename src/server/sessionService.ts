/**
 * What can be asked of the server, in process and over HTTP alike: each command is one step on one session in the store.
 * Knows no HTTP; who may ask has been decided before.
 */
import { randomId } from "../lib/randomId.ts"
import type { AckRequest, AnswerRequest, PingRequest, RegisterRequest, RegisterResponse, UpdateRequest } from "../wire/messages.ts"
import { ackCalls, answerCall, cancelCall, createCall, type NewCall } from "./calls.ts"
import { sessionNotFound } from "./callWaiter.ts"
import { modelTools, type ModelTool } from "./modelTools.ts"
import type { SessionServerLimits } from "./serverLimits.ts"
import { type Change, newSession, type SessionState, type ToolClientRecord } from "./sessionState.ts"
import type { SessionStore } from "./sessionStore.ts"
import { sweepSession } from "./sweepSession.ts"
import { getToolClient, pingToolClient, registerToolClient, removeToolClient, renewToolClient, updateTools } from "./toolClients.ts"

/** A page's access to its session: which one, and until when its token allows it (milliseconds since the epoch). */
export interface Access {
  readonly sessionId: string
  readonly expiresAt: number
}

export interface SessionService {
  /** Creates the session, or keeps it at least until the access ends. */
  open(access: Access): Promise<void>
  register(access: Access, request: RegisterRequest): Promise<RegisterResponse>
  update(access: Access, clientId: string, request: UpdateRequest): Promise<void>
  ping(access: Access, clientId: string, request: PingRequest): Promise<void>
  ack(access: Access, clientId: string, request: AckRequest): Promise<void>
  answer(access: Access, clientId: string, request: AnswerRequest): Promise<void>
  remove(access: Access, clientId: string): Promise<void>
  tools(sessionId: string): Promise<readonly ModelTool[]>
  /** Creates a call, or finds the one of the same idempotency key; gives its id. */
  call(sessionId: string, call: Omit<NewCall, "callId">): Promise<string>
  cancel(sessionId: string, callId: string): Promise<void>
  setRunning(sessionId: string, isRunning: boolean): Promise<void>
  /** Does what time has brought due. */
  sweep(sessionId: string): Promise<void>
}

export function createSessionService({ store, limits }: { store: SessionStore; limits: SessionServerLimits }): SessionService {
  /** A good token opens its session again, so a restarted server needs no memory. */
  const opened = (session: SessionState | undefined, { sessionId, expiresAt }: Access): SessionState => {
    if (!session) return newSession(sessionId, expiresAt)
    return session.expiresAt >= expiresAt ? session : { ...session, expiresAt }
  }

  /** A step of a page on its session, with a result. */
  const byPage = <Result>(access: Access, step: (session: SessionState, now: number) => Change & { result: Result }): Promise<Result> =>
    store.update(access.sessionId, (session, now) => step(opened(session, access), now))

  /** A step of one tool client, which is a sign of its life. */
  const byClient = (
    access: Access,
    clientId: string,
    step: (session: SessionState, client: ToolClientRecord, now: number) => Change,
  ): Promise<void> =>
    byPage(access, (session, now) => {
      const renewed = renewToolClient(session, getToolClient(session, clientId), now)
      return { ...step(renewed, getToolClient(renewed, clientId), now), result: undefined }
    })

  /** A step of the agent, on a session that must be there. */
  const byAgent = <Result>(
    sessionId: string,
    step: (session: SessionState, now: number) => Change & { result: Result },
  ): Promise<Result> =>
    store.update(sessionId, (session, now) => {
      if (!session) throw sessionNotFound(sessionId)
      return step(session, now)
    })

  return {
    open: (access) => byPage(access, (session) => ({ session, events: [], result: undefined })),
    register(access, request) {
      const clientId = randomId()
      return byPage(access, (session, now) => {
        const { client, ...change } = registerToolClient(session, clientId, request, limits, now)
        return { ...change, result: { id: client.id, name: client.name } }
      })
    },
    update: (access, clientId, request) => byClient(access, clientId, (session, client) => updateTools(session, client, request)),
    ping: (access, clientId, request) =>
      byClient(access, clientId, (session, client, now) => pingToolClient(session, client, request, now)),
    ack: (access, clientId, request) => byClient(access, clientId, (session, client) => ackCalls(session, client, request.call_ids)),
    answer: (access, clientId, request) =>
      byClient(access, clientId, (session, client) => answerCall(session, client, request, limits)),
    remove: (access, clientId) =>
      byPage(access, (session) => {
        const client = session.clients.find(({ id }) => id === clientId)
        const change = client ? removeToolClient(session, client, "client_deleted", limits) : { session, events: [] }
        return { ...change, result: undefined }
      }),
    async tools(sessionId) {
      const session = await store.read(sessionId)
      if (!session) throw sessionNotFound(sessionId)
      return modelTools(session)
    },
    call(sessionId, call) {
      const callId = randomId()
      return byAgent(sessionId, (session, now) => {
        const { callId: result, ...change } = createCall(session, { ...call, callId }, limits, now)
        return { ...change, result }
      })
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
    sweep: (sessionId) =>
      store.update(sessionId, (session, now) => {
        if (!session) return { session, events: [], result: undefined }
        return { ...sweepSession(session, limits, now), result: undefined }
      }),
  }
}

import type { Clock } from "../lib/clock.ts"
import type { Waiter } from "../lib/waiter.ts"
import type { AnswerMemory } from "./answerMemory.ts"
import type { Lifetime } from "../wire/messages.ts"
import type { Declaration } from "./declaration.ts"
import type { Dispatch, ToolClientPort } from "./port.ts"
import type { ToolClient, ToolClientOptions } from "./toolClient.ts"

/** The end that the session holds. */
export interface ToolClientControl {
  readonly client: ToolClient
  readonly declaration: Declaration
  readonly ids: ReadonlySet<string>
  /** Whether its DELETE is under way: a namesake waits for it. */
  readonly isDeleting: boolean
  readonly isRegistering: boolean
  readonly lifetime: Lifetime
  receive(dispatch: Dispatch): void
  cancelCall(callId: string, reason: string): void
  /** The client `id` was deleted: when it is this one, and nobody here has asked for it, another page that lives has the same identity. */
  superseded(id: string): void
  /** The stream is open (again): registers, or makes sure that the server still knows the client. */
  opened(): void
  /** An earlier client of the same name is gone: this one may register. */
  nameFreed(): void
  /** Something woke the page's code: an event of the stream, or the page's or the network's return. */
  woke(isReturn?: boolean): void
  /** The page goes: for good, or into the back/forward cache. */
  pageGoes(word: { readonly leaving: true } | { readonly suspended: true }): void
  /** The page is back from the back/forward cache: registers again. */
  pageBack(): void
  sessionFailed(error: unknown): void
  sessionRetried(): void
  leaveWhenIdle(): void
  stay(): void
  leave(): Promise<void>
}

export interface ToolClientSetup extends ToolClientOptions {
  readonly name: string
  readonly instanceId: string
  /** Gives one that no other page has. */
  renewInstanceId(): string
  readonly loadId: string
  readonly port: ToolClientPort
  readonly clock: Clock
  readonly waiter: Waiter
  readonly memory: AnswerMemory
  mayRegister(): boolean
  onRegistered(): void
  onLeft(): void
}

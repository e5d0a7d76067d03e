import type { ToolClient } from "../toolClient/toolClient.ts"

/**
 * What a hook is given comes from code, not from data: what is none is thrown where it is rendered. Missing it is not known yet.
 *
 * @param method - What it would have.
 * @throws TypeError
 */
export function expectGiven(hook: string, value: unknown, method: string, what: string): void {
  if (value != null && typeof (value as Readonly<Record<string, unknown>>)[method] !== "function") throw new TypeError(`${hook} needs ${what}, or null`)
}

/** @throws TypeError */
export const expectClient = (hook: string, client: ToolClient | null | undefined): void =>
  expectGiven(hook, client, "declare", "a tool client")

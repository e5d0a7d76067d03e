import { errorText } from "../../lib/errorText.ts"
import type { ToolSpec } from "../../tool/toolSpec.ts"
import type { ToolClientControl } from "../../toolClient/toolClientControl.ts"
import type { ClientView, Refusal, ToolView } from "./history.ts"

/** What a tool client offers right now, beside what the server was told. */
export function clientView(
  key: number,
  control: ToolClientControl,
  published: readonly ToolSpec[] | undefined,
  refusals: ReadonlyMap<string, Refusal>,
): ClientView {
  const { client, declaration, lifetime } = control
  const { state } = client
  const offers = declaration.offers()
  const live = new Set(state.tools)
  const told = new Map(published?.map((spec) => [spec.name, spec]))
  const names = new Set([...declaration.stacks.keys(), ...live])

  const tools = [...names].map((name): ToolView => {
    const stack = declaration.stacks.get(name) ?? []
    const offered = offers.get(name)?.spec
    const refused = stack.findLast((entry) => entry.refusal)?.refusal
    const problem = refused && errorText(refused.error)
    const isLive = live.has(name)
    return {
      name,
      status: isLive ? "live" : offered ? "pending" : problem === undefined ? "disabled" : "refused",
      spec: (isLive ? told.get(name) : undefined) ?? offered ?? stack.at(-1)?.offer?.spec,
      owners: stack.length,
      problem,
      refusal: refusals.get(name),
    }
  })
  return { key, name: state.name ?? client.name, state, lifetime, tools: tools.sort((one, other) => one.name.localeCompare(other.name)) }
}

import { allocateActionNames } from "./actionNames.ts"
import type { Action, Provider } from "./provider.ts"
import { Services } from "./services.ts"
import type { Tool } from "./tool.ts"
import { ToolError } from "./toolError.ts"
import { toolIdOf, toTool } from "./toTool.ts"

/** An action with its place and the name that it is called by. */
export interface RegisteredAction {
  readonly functionName: string
  readonly provider: Provider
  readonly action: Action
}

export interface ProviderRegistryOptions {
  /** In the order in which colliding names are given out. */
  readonly providers: readonly Provider[]
  /** What the actions run with. `@default` none */
  readonly services?: Services | undefined
}

/** @throws TypeError which says what is missing */
function checkProviders(providers: unknown): void {
  if (!Array.isArray(providers)) throw new TypeError("ProviderRegistry needs providers: a list of what defineProvider gives.")
  for (const provider of providers as readonly unknown[]) {
    const { id, actions } = (provider ?? {}) as { id?: unknown; actions?: unknown }
    if (typeof id !== "string" || !Array.isArray(actions)) throw new TypeError(`The provider ${JSON.stringify(id)} needs an id, a string, and a list of actions.`)
  }
}

/** The providers of one server, and the one allocation of their actions' names. */
export class ProviderRegistry {
  readonly providers: readonly Provider[]
  readonly services: Services
  /** Every provider's actions, in order. */
  readonly actions: readonly RegisteredAction[]

  /** @throws TypeError for what is no provider; ToolError `bad_name` for two providers, or two actions of one, with the same id */
  constructor({ providers, services = new Services() }: ProviderRegistryOptions) {
    const ids = new Set<string>()
    checkProviders(providers)
    for (const { id } of providers) {
      if (ids.has(id)) throw new ToolError("bad_name", id, "two providers have this id; rename one")
      ids.add(id)
    }
    this.providers = [...providers]
    this.services = services
    const all = providers.flatMap((provider) => provider.actions.map((action) => ({ provider, action })))
    const names = allocateActionNames(all.map(({ provider, action }) => ({ providerId: provider.id, actionId: action.id })))
    this.actions = all.map((one, index) => ({ ...one, functionName: names[index] as string }))
  }

  /**
   * Every action as a tool that runs in this process, by its function name.
   *
   * @param services - What they run with. `@default` the registry's
   */
  toTools(services: Services = this.services): Promise<Readonly<Record<string, Tool>>> {
    return Promise.resolve(
      Object.fromEntries(
        this.actions.map(({ functionName, provider, action }) => [functionName, toTool(action, services, toolIdOf(provider.id, action.id))]),
      ),
    )
  }
}

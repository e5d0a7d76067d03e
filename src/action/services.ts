import { ToolError } from "./toolError.ts"

/** What a service is asked for by: an object, so that two of one name are two. */
export interface ServiceKey<Service> {
  readonly name: string
  /** Makes the service when it is first asked for and nobody has set it. */
  readonly create?: ((services: Services) => Service) | undefined
}

/**
 * Names a service.
 *
 * @param name - For errors.
 * @param create - Makes it on first use. `@default` none: it must be set
 * @example
 * const Db = defineService<Database>("db")
 * const services = new Services().set(Db, openDatabase())
 */
export function defineService<Service>(name: string, create?: (services: Services) => Service): ServiceKey<Service> {
  return Object.freeze({ name, create })
}

/** All that a server's actions may need beside their input: databases, other systems, settings. Never leaves the server. */
export class Services {
  readonly #services = new Map<ServiceKey<unknown>, unknown>()

  set<Service>(key: ServiceKey<Service>, service: NoInfer<Service>): this {
    this.#services.set(key, service)
    return this
  }

  /** @throws ToolError `failed` when it was neither set nor can be made */
  get<Service>(key: ServiceKey<Service>): Service {
    const known = key as ServiceKey<unknown>
    if (!this.#services.has(known)) {
      if (!key.create) throw new ToolError("failed", "", `there is no service "${key.name}": set it on the Services that run this action`)
      this.#services.set(known, key.create(this))
    }
    return this.#services.get(known) as Service
  }
}

/** What errors call the script. */
export const SCRIPT_NAME = "script"

/**
 * Runs in the sandbox before the script: makes each action a global function, and all that crosses the border JSON. What it needs of
 * the language it takes before the script can change it.
 */
export const SANDBOX_PRELUDE = `(call, settle, log, names) => {
  const { stringify, parse } = JSON
  const { assign, create, defineProperty, freeze } = Object
  const { Error, Promise, String } = globalThis
  const waiting = create(null)
  const text = (value) => {
    const json = stringify(value)
    return json === undefined ? "" : json
  }
  const describe = (thrown) => {
    const isError = thrown instanceof Error
    const { name, message, stack, code, tool, problem, issues } = isError ? thrown : { name: "Error", message: String(thrown) }
    return stringify({ name, message, stack, code, tool, problem, issues })
  }
  // What JSON cannot say is said as text: no log ends a script.
  const said = (value) => {
    if (typeof value === "string") return value
    try {
      if (!(value instanceof Error)) return stringify(value) ?? String(value)
    } catch {}
    try {
      return String(value)
    } catch {
      return typeof value
    }
  }
  const logger = {}
  for (const level of ["debug", "log", "info", "warn", "error"])
    logger[level] = (...parts) => log(level, parts.map(said).join(" "))
  globalThis.console = freeze(logger)
  let clash = null
  for (const name of parse(names)) {
    if (name in globalThis) clash = name
    else
      defineProperty(globalThis, name, {
        enumerable: true,
        value: (input = {}) =>
          new Promise((resolve, reject) => {
            waiting[call(name, text(input))] = { resolve, reject }
          }),
      })
  }
  return {
    clash,
    answer(id, ok, json) {
      const { resolve, reject } = waiting[id]
      delete waiting[id]
      const value = json === "" ? undefined : parse(json)
      if (ok) resolve(value)
      else reject(assign(new Error(value.message), value))
    },
    // By await, which asks no \`then\` that the script may have changed.
    async watch(promise) {
      let ok = true
      let json = ""
      try {
        json = text((await promise).value)
      } catch (thrown) {
        ok = false
        try {
          json = describe(thrown)
        } catch {
          json = "{}"
        }
      }
      settle(ok, json)
    },
  }
}`

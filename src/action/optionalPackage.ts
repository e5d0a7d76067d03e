import { reasonOf } from "../tool/reason.ts"
import { ToolError } from "./toolError.ts"

/**
 * Loads a package that only those need who use what needs it. The import itself stands at the call, where bundlers see it.
 *
 * @throws ToolError `not_installed`
 */
export async function optionalPackage<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (cause) {
    throw new ToolError("not_installed", "", `the package ${name} could not be loaded (${reasonOf(cause)}); npm install ${name}`, { cause })
  }
}

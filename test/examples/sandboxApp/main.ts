// Runs two scripts, one of which never comes back, and shows what became of them. `#own` has a worker of its own file.
import { defineTool, Sandbox, ToolError } from "react-tool-client/tools"
import { z } from "zod"

const add = defineTool({
  id: "add",
  name: "Add",
  input: z.object({ a: z.number(), b: z.number() }),
  output: z.number(),
  execute: ({ a, b }) => a + b,
})
const own = location.hash === "#own" ? { worker: () => new Worker("./sandbox-worker.js", { type: "module" }) } : {}
const sandbox = new Sandbox({ actions: { add }, limits: { cpuMs: 100 }, ...own })

const run = async (code: string): Promise<string> => {
  try {
    return JSON.stringify(await sandbox.run(code, { logger: console }))
  } catch (error) {
    return error instanceof ToolError ? error.code : String(error)
  }
}

const results = [await run("await add({ a: 1, b: 2 })"), await run("Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)")]
document.querySelector("output")!.textContent = results.join(" ")

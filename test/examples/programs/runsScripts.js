// Runs scripts, one of which never comes back, prints what became of them, and ends although the sandbox is there.
import { defineTool, Sandbox } from "react-tool-client/tools"
import { z } from "zod"

const add = defineTool({
  id: "add",
  name: "Add",
  input: z.object({ a: z.number(), b: z.number() }),
  output: z.number(),
  execute: ({ a, b }) => a + b,
})
const sandbox = new Sandbox({ actions: { add }, limits: { cpuMs: 100 } })

/** @param {string} code */
const run = async (code) => {
  const begun = performance.now()
  const result = await sandbox.run(code, { logger: console }).then(JSON.stringify, (error) => `${error.code}: ${error.message}`)
  console.log(result)
  console.error(`${(performance.now() - begun).toFixed(1)} ms`)
}

await run("await add({ a: 1, b: 2 })")
await run("await add({ a: 3, b: 4 })")
await run("Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)")
await run("await add({ a: 5, b: 6 })")

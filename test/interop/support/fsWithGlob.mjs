// The conformance suite imports `globSync` from `fs`, which Node has since 22, for commands that are not used here. Given to `node --import`.
import * as fs from "node:fs"
import { register } from "node:module"

const shim = `export * from "node:fs"; export const globSync = () => { throw new Error("Node 20 has no globSync.") }`
const hook = `export const resolve = (specifier, context, next) =>
  specifier === "fs" && context.parentURL?.includes("/@modelcontextprotocol/conformance/")
    ? { url: ${JSON.stringify(`data:text/javascript,${encodeURIComponent(shim)}`)}, shortCircuit: true }
    : next(specifier, context)`

if (!("globSync" in fs)) register(`data:text/javascript,${encodeURIComponent(hook)}`)

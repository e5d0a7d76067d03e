// Prints what the installed entry exports: `{ "name": "function" }`.
import { argv } from "node:process"

/** @type {Record<string, unknown>} */
const entry = await import(argv[2] ?? "")
console.log(JSON.stringify(Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, typeof value]))))

#!/usr/bin/env node
import { run } from "./run.ts"

// Whoever read our output has gone: no reason to end, least of all for a server with calls under way.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})

process.exitCode = await run(process.argv.slice(2), {
  cwd: process.cwd(),
  print: (text) => process.stdout.write(text.endsWith("\n") ? text : `${text}\n`),
  warn: (text) => process.stderr.write(`${text}\n`),
})

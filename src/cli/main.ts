#!/usr/bin/env node
import { run } from "./run.ts"

process.exitCode = await run(process.argv.slice(2), {
  cwd: process.cwd(),
  print: (text) => process.stdout.write(text.endsWith("\n") ? text : `${text}\n`),
  warn: (text) => process.stderr.write(`${text}\n`),
})

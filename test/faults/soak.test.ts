import { spawn } from "node:child_process"
import { expect, test } from "vitest"

const SECONDS = 60

/** Faults, the time in which all must become well again, and what a slow machine takes. */
const TIMEOUT_MS = 300_000

test(`A soak of ${SECONDS} seconds: under random faults every call is settled once, nothing runs twice, and nothing is left behind.`, async () => {
  const seed = process.env["FAULT_SEED"] ?? "1"
  const child = spawn(process.execPath, ["--import", "tsx", "test/faults/soak.ts", "--seconds", String(SECONDS), "--seed", seed], { stdio: ["ignore", "pipe", "pipe"] })
  let said = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += String(chunk)))
  const code = await new Promise((resolve) => child.once("close", resolve))
  expect(said).toContain("all is well")
  expect(code, said).toBe(0)
}, TIMEOUT_MS)

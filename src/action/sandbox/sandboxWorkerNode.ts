// What runs in the worker of a `Sandbox` on Node. Its twin for all other platforms is `sandboxWorker.ts`.
import { parentPort } from "node:worker_threads"
import { reasonOf } from "../../tool/reason.ts"
import { loadEngine } from "./sandboxEngine.ts"
import type { FromSandbox, ToSandbox } from "./sandboxMessages.ts"
import { createScriptServer } from "./scriptServer.ts"
import { ToolError } from "../toolError.ts"

async function serve(port: NonNullable<typeof parentPort>): Promise<void> {
  const send = (message: FromSandbox): void => port.postMessage(message)
  try {
    const server = createScriptServer(await loadEngine(), send)
    port.on("message", (message: ToSandbox) => server.receive(message))
    send({ type: "ready" })
  } catch (thrown) {
    const isMissing = thrown instanceof ToolError && thrown.code === "not_installed"
    send({ type: "unavailable", isMissing, problem: isMissing ? thrown.problem : reasonOf(thrown) })
  }
}

// Where it is no worker, it has been imported by mistake, and does nothing.
if (parentPort) void serve(parentPort)
